import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";
import { equalScope } from "./event-scope.ts";
import { queryShape } from "./query-shape.ts";

/** Whether a record, or who it is, is what a query asks for: names are compared whole. */
export function matchesQuery(
  query: DiscoveryQuery,
  instance: DiscoveryInstance | DiscoveryInstanceId,
): boolean {
  const { kind, names } = queryShape(query);
  if (instance.type !== kind) return false;
  if (query.type === "EventChannels" || query.type === "EventSources") {
    if (!("scope" in instance)) return false;
    return (
      (query.scope === undefined || equalScope(query.scope, instance.scope)) &&
      (query.topic === undefined || query.topic === instance.topic)
    );
  }
  if ("scope" in instance) return false;
  const named = query as Readonly<Record<string, unknown>>;
  return names.every((name) => named[name] === instance[name]);
}
