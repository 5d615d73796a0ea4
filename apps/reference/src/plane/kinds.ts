import type {
  DiscoveryInstance,
  DiscoveryInstanceId,
  DiscoveryQuery,
  EventScope,
} from "@muster/core/plane";

/** Kinds of records as the CLI names them, in the order it shows them. */
export const recordKinds = {
  endpoints: "Endpoint",
  models: "Model",
  "event-channels": "EventChannel",
  "event-sources": "EventSource",
} as const;

/** A kind as the CLI names it. */
export type KindName = keyof typeof recordKinds;

/** All of them. */
export const kindNames: readonly KindName[] = Object.keys(recordKinds) as KindName[];

/** Which records are meant; whatever is not given is all. */
export interface RecordFilter {
  readonly namespace?: string | undefined;
  readonly component?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** What both a record and its id say of themselves. */
type Named = DiscoveryInstance | DiscoveryInstanceId;

/** Where a record belongs; an event scope may be wider than an endpoint. */
function placeOf(named: Named): RecordFilter {
  return named.type === "Endpoint" || named.type === "Model" ? named : scopePlace(named.scope);
}

/** Whether a record is one of those meant. */
export function isMeant(named: Named, filter: RecordFilter): boolean {
  const place = placeOf(named);
  return (["namespace", "component", "endpoint"] as const).every(
    (part) => filter[part] === undefined || filter[part] === place[part],
  );
}

/** The narrowest query that holds all records meant; the rest is for {@link isMeant}. */
export function queryOf(kind: KindName, filter: RecordFilter): DiscoveryQuery {
  const { namespace, component, endpoint } = filter;
  if (kind === "event-channels") return { type: "EventChannels" };
  if (kind === "event-sources") return { type: "EventSources" };
  const [all, inNamespace, inComponent, one] = queries[kind];
  if (namespace === undefined) return { type: all };
  if (component === undefined) return { type: inNamespace, namespace };
  if (endpoint === undefined) return { type: inComponent, namespace, component };
  return { type: one, namespace, component, endpoint };
}

const queries = {
  endpoints: ["AllEndpoints", "NamespacedEndpoints", "ComponentEndpoints", "Endpoint"],
  models: ["AllModels", "NamespacedModels", "ComponentModels", "EndpointModels"],
} as const;

function scopePlace(scope: EventScope): RecordFilter {
  if (scope.kind === "namespace") return { namespace: scope.name };
  if (scope.kind === "component") return scope;
  const { namespace, component, name } = scope.endpoint;
  return { namespace, component, endpoint: name };
}
