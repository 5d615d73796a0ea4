import { apiVersion, isPluginDefinition, MusterError, type PluginDefinition } from "@muster/core";

/** The plugin definitions a configuration can name, by type. */
export interface PluginRegistry {
  /**
   * Adds a definition; adding the same one again does nothing.
   *
   * @throws MusterError PLUGIN_INVALID when it is no definition, PLUGIN_API_VERSION when it was made
   * for another plugin API, PLUGIN_DUPLICATE when its type is taken.
   */
  add(definition: PluginDefinition): void;
  get(type: string): PluginDefinition | undefined;
  /** In the order in which they were added. */
  types(): readonly string[];
}

/** Makes a registry. Throws as {@link PluginRegistry.add}. */
export function createPluginRegistry(
  definitions: readonly PluginDefinition[] = [],
): PluginRegistry {
  const byType = new Map<string, PluginDefinition>();
  const registry: PluginRegistry = Object.freeze({
    add(definition: PluginDefinition): void {
      checkDefinition(definition);
      const known = byType.get(definition.type);
      if (known === definition) return;
      if (known !== undefined)
        throw new MusterError(
          "PLUGIN_DUPLICATE",
          `two plugins have the type "${definition.type}"; register one of them`,
        );
      byType.set(definition.type, definition);
    },
    get: (type: string) => byType.get(type),
    types: () => [...byType.keys()],
  });
  for (const definition of definitions) registry.add(definition);
  return registry;
}

/**
 * Checks that a value is a plugin definition made for this plugin API.
 *
 * @throws MusterError PLUGIN_INVALID, PLUGIN_API_VERSION.
 */
export function checkDefinition(value: unknown): asserts value is PluginDefinition {
  if (!isPluginDefinition(value))
    throw new MusterError(
      "PLUGIN_INVALID",
      `${describe(value)} is no plugin definition; make one with definePlugin of @muster/core`,
    );
  if (value.apiVersion !== apiVersion)
    throw new MusterError(
      "PLUGIN_API_VERSION",
      `plugin "${value.type}" was made for plugin API ${value.apiVersion}, this runtime has ` +
        `${apiVersion}; install versions of the plugin and of @muster/runtime that agree`,
    );
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}
