import type { DiscoveryQuery } from "./discovery-query.ts";
import { scopePath } from "./event-scope.ts";
import { encodeSegment } from "./path-segment.ts";
import { type DiscoveryKind, planeBuckets } from "./plane-keys.ts";
import { queryShape } from "./query-shape.ts";

/** Where the records that a query may match are. */
export interface QueryRange {
  readonly type: DiscoveryKind;
  readonly bucket: string;
  /** Path below the bucket, matched whole: `a/b` takes `a/b` and `a/b/c`, not `a/bc`. Empty: all. */
  readonly prefix: string;
}

/** The bucket of a query and the path its keys are under; `matchesQuery` decides about each. */
export function queryRange(query: DiscoveryQuery): QueryRange {
  const type = queryShape(query).kind;
  return { type, bucket: planeBuckets[type], prefix: prefixOf(query) };
}

function prefixOf(query: DiscoveryQuery): string {
  if (query.type === "EventChannels" || query.type === "EventSources") {
    const { scope, topic } = query;
    if (scope === undefined) return "";
    const path = scopePath(scope);
    return topic === undefined ? path : `${path}/topic/${encodeSegment(topic)}`;
  }
  const named = query as Readonly<Record<string, unknown>>;
  return queryShape(query)
    .names.map((name) => named[name])
    .join("/");
}
