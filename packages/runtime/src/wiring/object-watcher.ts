import { formatTypedName, type MusterError, type ObjectWatcher, type Plugin } from "@muster/core";
import { checkPlugin } from "./check-plugin.ts";
import type { PlannedSource } from "./plan.ts";

/** Where notification sources get their events from. */
export interface WatcherChoice {
  readonly watcher: ObjectWatcher | undefined;
  /** It came with a source: whoever stops plugins has to stop it too. */
  readonly isDefault: boolean;
  readonly problems: readonly MusterError[];
  readonly warnings: readonly string[];
}

/** The object watcher among the plugins; without one, that of the first source which brings its own. */
export function chooseObjectWatcher(
  plugins: readonly Plugin[],
  sources: readonly PlannedSource[],
): WatcherChoice {
  const [configured, ...others] = plugins.filter(isObjectWatcher);
  if (configured !== undefined)
    return {
      ...{ watcher: configured, isDefault: false, problems: [] },
      warnings: others.map(
        ({ typedName }) =>
          `object watcher ${formatTypedName(typedName)} is not used: ` +
          `${formatTypedName(configured.typedName)} watches for all`,
      ),
    };
  for (const { source } of sources) {
    if (source.variant !== "notification" || source.defaultWatcher === undefined) continue;
    const { defaultWatcher } = source;
    const problem = checkPlugin(defaultWatcher, "default object watcher", ["watch"]);
    if (problem !== undefined)
      return { watcher: undefined, isDefault: true, problems: [problem], warnings: [] };
    return { watcher: defaultWatcher, isDefault: true, problems: [], warnings: [] };
  }
  return { watcher: undefined, isDefault: false, problems: [], warnings: [] };
}

function isObjectWatcher(plugin: Plugin): plugin is ObjectWatcher {
  return typeof (plugin as Partial<ObjectWatcher>).watch === "function";
}
