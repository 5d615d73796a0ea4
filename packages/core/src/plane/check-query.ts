import type { DiscoveryQuery } from "./discovery-query.ts";
import { copyScope } from "./event-scope.ts";
import { badName } from "./plane-name.ts";
import { queryShape } from "./query-shape.ts";

/**
 * Fails unless a query is one, so that a name that is missing, or a type that is misspelled, does not
 * ask for everything there is. Any text is a name here: what nobody can have is found nowhere.
 *
 * @throws MusterError PLANE_VARIANT for an unknown `type`, PLANE_NAME for a name that is no text,
 * PLANE_RECORD for a scope that is none.
 */
export function checkQuery(query: DiscoveryQuery): void {
  const given = query as Readonly<Record<string, unknown>>;
  for (const name of queryShape(query).names)
    if (typeof given[name] !== "string") throw badName(name, given[name], "must be text");
  if (query.type !== "EventChannels" && query.type !== "EventSources") return;
  const { scope, topic } = query;
  if (scope !== undefined) copyScope(scope);
  if (topic !== undefined && typeof topic !== "string")
    throw badName("topic", topic, "must be text");
}
