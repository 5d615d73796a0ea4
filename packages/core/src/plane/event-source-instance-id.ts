import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import { formatEventPath, parseEventPath } from "./event-path.ts";
import { copyScope } from "./event-scope.ts";
import type { EventScope } from "./event-types.ts";
import { checkText } from "./plane-name.ts";
import { stringifyJson } from "./stringify-json.ts";
import { checkU64 } from "./u64.ts";

/** What an {@link EventSourceInstanceId} is made of. */
export interface EventSourceInstanceIdInit {
  readonly scope: EventScope;
  readonly topic: string;
  readonly publisherId: bigint;
}

/** Who an event source is; two are the same if all fields are. Frozen. */
export class EventSourceInstanceId {
  readonly type = "EventSource" as const;
  readonly scope: EventScope;
  readonly topic: string;
  readonly publisherId: bigint;

  /** @throws MusterError PLANE_RECORD for what is no scope, and for an id beyond 64 bits. */
  constructor({ scope, topic, publisherId }: EventSourceInstanceIdInit) {
    this.scope = copyScope(scope);
    this.topic = checkText(topic, "topic");
    this.publisherId = checkU64(publisherId, "publisherId");
    Object.freeze(this);
  }

  /** The publisher's id, by the name that all kinds share. */
  get instanceId(): bigint {
    return this.publisherId;
  }

  /** Key for maps, different for any two ids of any kind. */
  get key(): string {
    return `EventSource:${this.toPath()}`;
  }

  /** `namespace/X[/component/Y[/endpoint/Z]]/topic/T/{id in hex}`, percent-encoded. */
  toPath(): string {
    return formatEventPath({ scope: this.scope, topic: this.topic, id: this.publisherId });
  }

  /**
   * Reads {@link toPath}: exactly 5, 7 or 9 parts.
   *
   * @throws MusterError PLANE_PATH
   */
  static fromPath(path: string): EventSourceInstanceId {
    const { scope, topic, id } = parseEventPath("EventSourceInstanceId", path);
    return new EventSourceInstanceId({ scope, topic, publisherId: id });
  }

  equals(other: DiscoveryInstanceId): boolean {
    return other.type === "EventSource" && this.toPath() === other.toPath();
  }

  /** The id as the original serialises it. */
  toJson(): string {
    const { scope, topic, publisherId: publisher_id } = this;
    return stringifyJson({ EventSource: { scope, topic, publisher_id } });
  }
}
