import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import { parseInstancePath } from "./instance-path.ts";
import { badPath } from "./plane-error.ts";
import { checkKeyPart } from "./plane-name.ts";
import { stringifyJson } from "./stringify-json.ts";
import { checkU64, formatHexId } from "./u64.ts";

/** What an {@link EndpointInstanceId} is made of. */
export interface EndpointInstanceIdInit {
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly instanceId: bigint;
}

/** Who an endpoint instance is; two are the same if all fields are. Frozen. */
export class EndpointInstanceId {
  readonly type = "Endpoint" as const;
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly instanceId: bigint;

  /** @throws MusterError PLANE_NAME for a `/` in a name, PLANE_RECORD for an id beyond 64 bits. */
  constructor({ namespace, component, endpoint, instanceId }: EndpointInstanceIdInit) {
    this.namespace = checkKeyPart(namespace, "namespace");
    this.component = checkKeyPart(component, "component");
    this.endpoint = checkKeyPart(endpoint, "endpoint");
    this.instanceId = checkU64(instanceId, "instanceId");
    Object.freeze(this);
  }

  /** Key for maps, different for any two ids of any kind. */
  get key(): string {
    return `Endpoint:${this.toPath()}`;
  }

  /** `{namespace}/{component}/{endpoint}/{instance id in hex}`: the key below its bucket. */
  toPath(): string {
    return `${this.namespace}/${this.component}/${this.endpoint}/${formatHexId(this.instanceId)}`;
  }

  /**
   * Reads {@link toPath}: exactly four parts, the last as Rust's `u64::from_str_radix(…, 16)` takes it.
   *
   * @throws MusterError PLANE_PATH
   */
  static fromPath(path: string): EndpointInstanceId {
    const { suffix, ...init } = parseInstancePath("EndpointInstanceId", path);
    if (suffix !== undefined) throw badPath("EndpointInstanceId", path, "expected 4 parts, got 5");
    return new EndpointInstanceId(init);
  }

  equals(other: DiscoveryInstanceId): boolean {
    return other.type === "Endpoint" && this.toPath() === other.toPath();
  }

  /** The id as the original serialises it. */
  toJson(): string {
    const { namespace, component, endpoint, instanceId: instance_id } = this;
    return stringifyJson({ Endpoint: { namespace, component, endpoint, instance_id } });
  }
}
