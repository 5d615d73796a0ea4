import type { DiscoveryQuery } from "./discovery-query.ts";
import { scopePath } from "./event-scope.ts";
import { encodeSegment } from "./path-segment.ts";
import { type DiscoveryKind, planeBuckets } from "./plane-keys.ts";

/** Where the records that a query may match are. */
export interface QueryRange {
  readonly type: DiscoveryKind;
  readonly bucket: string;
  /** Path below the bucket, matched whole: `a/b` takes `a/b` and `a/b/c`, not `a/bc`. Empty: all. */
  readonly prefix: string;
}

/** The bucket of a query and the path its keys are under; `matchesQuery` decides about each. */
export function queryRange(query: DiscoveryQuery): QueryRange {
  const type = queryKind(query);
  return { type, bucket: planeBuckets[type], prefix: prefixOf(query) };
}

/** The kind of record that a query asks for. */
export function queryKind({ type }: DiscoveryQuery): DiscoveryKind {
  if (type === "EventChannels") return "EventChannel";
  if (type === "EventSources") return "EventSource";
  return type.endsWith("Models") ? "Model" : "Endpoint";
}

function prefixOf(query: DiscoveryQuery): string {
  if (query.type === "EventChannels" || query.type === "EventSources") {
    const { scope, topic } = query;
    if (scope === undefined) return "";
    const path = scopePath(scope);
    return topic === undefined ? path : `${path}/topic/${encodeSegment(topic)}`;
  }
  const names: string[] = [];
  if ("namespace" in query) names.push(query.namespace);
  if ("component" in query) names.push(query.component);
  if ("endpoint" in query) names.push(query.endpoint);
  return names.join("/");
}
