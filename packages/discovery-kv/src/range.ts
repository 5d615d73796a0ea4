import { type DiscoveryQuery, type QueryRange, queryRange } from "@muster/core/plane";

/** Where the records of a query are. Old event channels are not below their scope: all are read. */
export function rangeOf(query: DiscoveryQuery): QueryRange {
  const range = queryRange(query);
  return range.type === "EventChannel" ? { ...range, prefix: "" } : range;
}
