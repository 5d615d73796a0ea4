import type { StandardSchema } from "../standard-schema.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { EventChannelSpec } from "./discovery-spec.ts";
import { EventChannelInstanceId } from "./event-channel-instance-id.ts";
import { copyScope, equalScope } from "./event-scope.ts";
import { copyEventTransport, equalEventTransport } from "./event-transport.ts";
import type { EventScope, EventTransport } from "./event-types.ts";
import { noModel } from "./plane-error.ts";
import { checkText } from "./plane-name.ts";
import { checkU64 } from "./u64.ts";
import {
  copyUnknownFields,
  equalUnknownFields,
  type UnknownField,
  type UnknownFieldsInit,
} from "./unknown-fields.ts";

/** What an {@link EventChannelInstance} is made of. */
export interface EventChannelInstanceInit
  extends Omit<EventChannelSpec, "type">,
    UnknownFieldsInit {}

/** A registered channel of events. Frozen. */
export class EventChannelInstance {
  readonly type = "EventChannel" as const;
  readonly scope: EventScope;
  readonly topic: string;
  /** The publisher's. */
  readonly instanceId: bigint;
  readonly transport: EventTransport;
  /** What this version does not know of the record; written back. */
  readonly unknownFields: readonly UnknownField[];

  /** @throws MusterError PLANE_RECORD for a bad scope, id or transport. */
  constructor(init: EventChannelInstanceInit) {
    this.scope = copyScope(init.scope);
    this.topic = checkText(init.topic, "topic");
    this.instanceId = checkU64(init.instanceId, "instanceId");
    this.transport = copyEventTransport(init.transport);
    this.unknownFields = copyUnknownFields(init.unknownFields);
    Object.freeze(this);
  }

  id(): EventChannelInstanceId {
    return new EventChannelInstanceId(this);
  }

  /** @throws MusterError PLANE_VARIANT always: a channel has no model card. */
  deserializeModel<T>(_schema: StandardSchema<unknown, T>): T {
    throw noModel(this.type);
  }

  equals(other: DiscoveryInstance): boolean {
    return (
      other.type === "EventChannel" &&
      this.instanceId === other.instanceId &&
      this.topic === other.topic &&
      equalScope(this.scope, other.scope) &&
      equalEventTransport(this.transport, other.transport) &&
      equalUnknownFields(this.unknownFields, other.unknownFields)
    );
  }
}
