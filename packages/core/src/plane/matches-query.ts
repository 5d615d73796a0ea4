import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";
import { equalScope } from "./event-scope.ts";
import { queryKind } from "./query-range.ts";

/** Whether a record, or who it is, is what a query asks for: names are compared whole. */
export function matchesQuery(
  query: DiscoveryQuery,
  instance: DiscoveryInstance | DiscoveryInstanceId,
): boolean {
  if (instance.type !== queryKind(query)) return false;
  if (query.type === "EventChannels" || query.type === "EventSources") {
    if (!("scope" in instance)) return false;
    return (
      (query.scope === undefined || equalScope(query.scope, instance.scope)) &&
      (query.topic === undefined || query.topic === instance.topic)
    );
  }
  if ("scope" in instance) return false;
  if ("namespace" in query && query.namespace !== instance.namespace) return false;
  if ("component" in query && query.component !== instance.component) return false;
  return !("endpoint" in query) || query.endpoint === instance.endpoint;
}
