import {
  type DiscoveryInstance,
  type DiscoveryQuery,
  type DiscoverySpec,
  type EventScope,
  fromModelWithSuffix,
  RawJson,
} from "@muster/core/plane";

/** Where a record is. */
export interface Place {
  readonly namespace: string;
  readonly component: string;
  readonly endpoint: string;
}

/** The place that tests use when they need but one. */
export const place: Place = { namespace: "testkit", component: "backend", endpoint: "generate" };

/** An endpoint's specification. */
export function endpoint(at: Place = place, port = 8000): DiscoverySpec {
  return { type: "Endpoint", ...at, transport: { tcp: `192.0.2.1:${port}/1/generate` } };
}

/** What the plane reads of a model card. */
export interface Card {
  readonly aliases?: readonly string[];
  readonly display_name?: string;
  readonly lora?: { readonly name: string };
  readonly runtime_config?: Readonly<Record<string, unknown>>;
  readonly source_path?: string;
  readonly [field: string]: unknown;
}

/** A model's specification; with a suffix that of an adapter. */
export function model(card: Card | null, modelSuffix?: string, at: Place = place): DiscoverySpec {
  return fromModelWithSuffix({ ...at, card, modelSuffix });
}

/** An event channel's specification. */
export function channel(scope: EventScope, topic = "kv-events", port = 5557): DiscoverySpec {
  return {
    type: "EventChannel",
    scope,
    topic,
    instanceId: 42n,
    transport: { kind: "Zmq", config: { endpoint: `tcp://192.0.2.1:${port}` } },
  };
}

/** An event source's specification. */
export function source(scope: EventScope, topic = "kv-events", size = 1): DiscoverySpec {
  const metadata = RawJson.of({ size });
  return { type: "EventSource", scope, topic, publisherId: 43n, metadata };
}

/** One scope of each kind, and one whose names begin like another's. */
export const scopes: readonly EventScope[] = [
  { kind: "namespace", name: "n1" },
  { kind: "namespace", name: "n10" },
  { kind: "component", namespace: "n1", component: "c" },
  { kind: "endpoint", endpoint: { namespace: "n1", component: "c", name: "e" } },
];

/** One specification of every kind. */
export const everyKind: readonly DiscoverySpec[] = [
  endpoint(),
  model({ display_name: "base" }),
  channel({ kind: "namespace", name: "testkit" }),
  source({ kind: "namespace", name: "testkit" }),
];

/** The query that finds all records of a kind. */
export function allOf(type: DiscoverySpec["type"]): DiscoveryQuery {
  const queries = {
    Endpoint: "AllEndpoints",
    Model: "AllModels",
    EventChannel: "EventChannels",
    EventSource: "EventSources",
  } as const;
  return { type: queries[type] };
}

/** Narrows a record to its kind; fails the test otherwise. */
export function isOf<Type extends DiscoveryInstance["type"]>(
  type: Type,
  instance: DiscoveryInstance,
): Extract<DiscoveryInstance, { type: Type }> {
  if (instance.type !== type) throw new Error(`expected a record of ${type}, got ${instance.type}`);
  return instance as Extract<DiscoveryInstance, { type: Type }>;
}
