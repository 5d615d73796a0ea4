import { formatTypedName, MusterError } from "@muster/core";
import type { LoadedConfig } from "./loaded-config.ts";

/**
 * Gives problems that were found after a configuration was loaded, by `resolveWiring` or at the
 * start, the place of the plugin that they concern. Problems that have a path, or concern no plugin
 * of the configuration, stay as they are.
 */
export function locateProblems(
  problems: readonly MusterError[],
  { plugins }: Pick<LoadedConfig, "plugins">,
): MusterError[] {
  const places = new Map(
    plugins.map(({ typedName, place }) => [formatTypedName(typedName), place]),
  );
  return problems.map((problem) => {
    const { code, message, plugin, path, cause } = problem;
    const place = plugin && places.get(formatTypedName(plugin));
    if (place === undefined || path !== undefined) return problem;
    return new MusterError(code, message, {
      plugin,
      path: place,
      cause,
      problems: problem.problems,
    });
  });
}
