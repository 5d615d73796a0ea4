import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import type { EndpointInstanceIdInit } from "./endpoint-instance-id.ts";
import { parseInstancePath } from "./instance-path.ts";
import { checkKeyPart } from "./plane-name.ts";
import { stringifyJson } from "./stringify-json.ts";
import { checkU64, formatHexId } from "./u64.ts";

/** What a {@link ModelCardInstanceId} is made of. */
export interface ModelCardInstanceIdInit extends EndpointInstanceIdInit {
  /** Slug of a LoRA adapter; empty and null mean none. */
  readonly modelSuffix?: string | null | undefined;
}

/** Who a model record is; two are the same if all fields are. Frozen. */
export class ModelCardInstanceId {
  readonly type = "Model" as const;
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
  readonly instanceId: bigint;
  /** Undefined for a base model; never empty. */
  readonly modelSuffix: string | undefined;

  /** @throws MusterError PLANE_NAME for a `/` in a name, PLANE_RECORD for an id beyond 64 bits. */
  constructor({
    namespace,
    component,
    endpoint,
    instanceId,
    modelSuffix,
  }: ModelCardInstanceIdInit) {
    this.namespace = checkKeyPart(namespace, "namespace");
    this.component = checkKeyPart(component, "component");
    this.endpoint = checkKeyPart(endpoint, "endpoint");
    this.instanceId = checkU64(instanceId, "instanceId");
    this.modelSuffix = modelSuffix ? checkKeyPart(modelSuffix, "modelSuffix") : undefined;
    Object.freeze(this);
  }

  /** Key for maps, different for any two ids of any kind. */
  get key(): string {
    return `Model:${this.toPath()}`;
  }

  /** `{namespace}/{component}/{endpoint}/{instance id in hex}[/{suffix}]`: the key below its bucket. */
  toPath(): string {
    const base = `${this.namespace}/${this.component}/${this.endpoint}/${formatHexId(this.instanceId)}`;
    return this.modelSuffix === undefined ? base : `${base}/${this.modelSuffix}`;
  }

  /**
   * Reads {@link toPath}: four or five parts, the fourth as Rust's `u64::from_str_radix(…, 16)` takes
   * it; an empty fifth means no suffix.
   *
   * @throws MusterError PLANE_PATH
   */
  static fromPath(path: string): ModelCardInstanceId {
    const { suffix: modelSuffix, ...init } = parseInstancePath("ModelCardInstanceId", path);
    return new ModelCardInstanceId({ ...init, modelSuffix });
  }

  equals(other: DiscoveryInstanceId): boolean {
    return other.type === "Model" && this.toPath() === other.toPath();
  }

  /** The id as the original serialises it; here a missing suffix is `null`. */
  toJson(): string {
    const { namespace, component, endpoint, instanceId: instance_id } = this;
    const model_suffix = this.modelSuffix ?? null;
    return stringifyJson({ Model: { namespace, component, endpoint, instance_id, model_suffix } });
  }
}
