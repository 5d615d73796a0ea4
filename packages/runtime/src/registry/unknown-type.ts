import type { PluginRegistry } from "./plugin-registry.ts";
import { didYouMean } from "./suggest.ts";
import { isDataLayerType, packageOf, wellKnownTypes } from "./well-known.ts";

/**
 * Says that a plugin type is unknown, and what to do about it: install the package that provides it,
 * correct the spelling, or name a package.
 */
export function describeUnknownType(type: string, registry: PluginRegistry | undefined): string {
  const unknown = `no plugin of type "${type}"`;
  const known = registry?.types() ?? [];
  const provider = packageOf(type);
  if (provider !== undefined)
    return `${unknown}: it is provided by ${provider}; install that package and register its plugin`;
  if (isDataLayerType(type))
    return `${unknown}: llm-d has it, Muster does not provide it yet; remove it or register a plugin of that type`;
  const hint = didYouMean(type, [...known, ...wellKnownTypes()]);
  return `${unknown}${hint}; known: ${[...known].sort().join(", ") || "none"}`;
}
