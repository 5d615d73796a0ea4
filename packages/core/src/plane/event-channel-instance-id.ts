import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import { formatEventPath, parseEventPath } from "./event-path.ts";
import { copyScope } from "./event-scope.ts";
import type { EventScope } from "./event-types.ts";
import { checkText } from "./plane-name.ts";
import { stringifyJson } from "./stringify-json.ts";
import { checkU64 } from "./u64.ts";

/** What an {@link EventChannelInstanceId} is made of. */
export interface EventChannelInstanceIdInit {
  readonly scope: EventScope;
  readonly topic: string;
  readonly instanceId: bigint;
}

/** Who an event channel is; two are the same if all fields are. Frozen. */
export class EventChannelInstanceId {
  readonly type = "EventChannel" as const;
  readonly scope: EventScope;
  readonly topic: string;
  /** The publisher's. */
  readonly instanceId: bigint;

  /** @throws MusterError PLANE_RECORD for what is no scope, and for an id beyond 64 bits. */
  constructor({ scope, topic, instanceId }: EventChannelInstanceIdInit) {
    this.scope = copyScope(scope);
    this.topic = checkText(topic, "topic");
    this.instanceId = checkU64(instanceId, "instanceId");
    Object.freeze(this);
  }

  /** Key for maps, different for any two ids of any kind. */
  get key(): string {
    return `EventChannel:${this.toPath()}`;
  }

  /** `namespace/X[/component/Y[/endpoint/Z]]/topic/T/{id in hex}`, percent-encoded. */
  toPath(): string {
    return formatEventPath({ scope: this.scope, topic: this.topic, id: this.instanceId });
  }

  /**
   * Reads {@link toPath}: exactly 5, 7 or 9 parts.
   *
   * @throws MusterError PLANE_PATH
   */
  static fromPath(path: string): EventChannelInstanceId {
    const { scope, topic, id } = parseEventPath("EventChannelInstanceId", path);
    return new EventChannelInstanceId({ scope, topic, instanceId: id });
  }

  equals(other: DiscoveryInstanceId): boolean {
    return other.type === "EventChannel" && this.toPath() === other.toPath();
  }

  /** The id as the original serialises it. */
  toJson(): string {
    const { scope, topic, instanceId: instance_id } = this;
    return stringifyJson({ EventChannel: { scope, topic, instance_id } });
  }
}
