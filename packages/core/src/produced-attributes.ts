import { definitionOf } from "./define-plugin.ts";
import type { Plugin } from "./plugin.ts";

/**
 * Names of the attributes a plugin may write: its definition's `produces` and the instance's own.
 * `undefined`, anything, for a plugin made by hand that declares none.
 */
export function producedAttributes(plugin: Plugin): ReadonlySet<string> | undefined {
  const definition = definitionOf(plugin);
  if (definition === undefined && plugin.produces === undefined) return undefined;
  const keys = [...(definition?.produces ?? []), ...(plugin.produces ?? [])];
  return new Set(keys.map((key) => key.name));
}
