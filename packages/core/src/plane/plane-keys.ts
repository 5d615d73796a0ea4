import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import { EndpointInstanceId } from "./endpoint-instance-id.ts";
import { EventChannelInstanceId } from "./event-channel-instance-id.ts";
import { scopeOf } from "./event-scope.ts";
import { EventSourceInstanceId } from "./event-source-instance-id.ts";
import { ModelCardInstanceId } from "./model-card-instance-id.ts";
import { parseHexId } from "./u64.ts";

/** A kind of record. */
export type DiscoveryKind = DiscoveryInstance["type"];

/** The bucket that each kind of record is stored in. */
export const planeBuckets: {
  readonly Endpoint: "v1/instances";
  readonly Model: "v1/mdc";
  readonly EventChannel: "v1/event_channels";
  readonly EventSource: "v1/event_sources";
} = Object.freeze({
  Endpoint: "v1/instances",
  Model: "v1/mdc",
  EventChannel: "v1/event_channels",
  EventSource: "v1/event_sources",
});

/**
 * The id that a key below its bucket stands for: all there is to know about a record that is gone.
 * Event channels from before scopes (≤ 1.2), `ns/component/topic/{id:x}`, are read too.
 *
 * @throws MusterError PLANE_PATH
 */
export function idFromKey(type: DiscoveryKind, key: string): DiscoveryInstanceId {
  switch (type) {
    case "Endpoint":
      return EndpointInstanceId.fromPath(key);
    case "Model":
      return ModelCardInstanceId.fromPath(key);
    case "EventChannel":
      return legacyChannel(key) ?? EventChannelInstanceId.fromPath(key);
    case "EventSource":
      return EventSourceInstanceId.fromPath(key);
  }
}

function legacyChannel(key: string): EventChannelInstanceId | undefined {
  const parts = key.split("/");
  const [namespace = "", component, topic = "", hex = ""] = parts;
  const instanceId = parseHexId(hex);
  if (parts.length !== 4 || instanceId === undefined) return undefined;
  const scope = component === "" ? scopeOf(namespace) : scopeOf(namespace, component);
  return new EventChannelInstanceId({ scope, topic, instanceId });
}
