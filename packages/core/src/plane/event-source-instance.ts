import type { StandardSchema } from "../standard-schema.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { EventSourceSpec } from "./discovery-spec.ts";
import { copyScope, equalScope } from "./event-scope.ts";
import { EventSourceInstanceId } from "./event-source-instance-id.ts";
import type { EventScope } from "./event-types.ts";
import { noModel } from "./plane-error.ts";
import { checkText } from "./plane-name.ts";
import { checkRawJson, type RawJson } from "./raw-json.ts";
import { checkU64 } from "./u64.ts";
import {
  copyUnknownFields,
  equalUnknownFields,
  type UnknownField,
  type UnknownFieldsInit,
} from "./unknown-fields.ts";

/** What an {@link EventSourceInstance} is made of. */
export interface EventSourceInstanceInit extends Omit<EventSourceSpec, "type">, UnknownFieldsInit {}

/** A registered source of events. Frozen. */
export class EventSourceInstance {
  readonly type = "EventSource" as const;
  readonly scope: EventScope;
  readonly topic: string;
  readonly publisherId: bigint;
  readonly metadata: RawJson;
  /** What this version does not know of the record; written back. */
  readonly unknownFields: readonly UnknownField[];

  /** @throws MusterError PLANE_RECORD for a bad scope or id, and for metadata that is no RawJson. */
  constructor(init: EventSourceInstanceInit) {
    this.scope = copyScope(init.scope);
    this.topic = checkText(init.topic, "topic");
    this.publisherId = checkU64(init.publisherId, "publisherId");
    this.metadata = checkRawJson(init.metadata, "PLANE_RECORD", "metadata");
    this.unknownFields = copyUnknownFields(init.unknownFields);
    Object.freeze(this);
  }

  /** The publisher's id, by the name that all kinds share. */
  get instanceId(): bigint {
    return this.publisherId;
  }

  id(): EventSourceInstanceId {
    return new EventSourceInstanceId(this);
  }

  /** @throws MusterError PLANE_VARIANT always: a source has no model card. */
  deserializeModel<T>(_schema: StandardSchema<unknown, T>): T {
    throw noModel(this.type);
  }

  equals(other: DiscoveryInstance): boolean {
    return (
      other.type === "EventSource" &&
      this.publisherId === other.publisherId &&
      this.topic === other.topic &&
      equalScope(this.scope, other.scope) &&
      this.metadata.equals(other.metadata) &&
      equalUnknownFields(this.unknownFields, other.unknownFields)
    );
  }
}
