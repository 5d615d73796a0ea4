import { pathToFileURL } from "node:url";
import { isPluginDefinition, MusterError, messageOf, type PluginDefinition } from "@muster/core";
import { resolve } from "import-meta-resolve";
import { checkDefinition } from "../registry/plugin-registry.ts";

/** What a plugin package has to offer. */
export interface PluginPackage {
  /** As written in the configuration. */
  readonly specifier: string;
  /** `file:` URL of the module. */
  readonly url: string;
  readonly definitions: readonly PluginDefinition[];
}

/** ms that a module may take to load; its top level may await. */
const loadTimeout = 10_000;

/**
 * Loads a plugin package by its npm name or by a path that starts with `./` or `../`, both as seen
 * from a file. Runs the package's code. Nothing is scanned, installed or fetched. The default export
 * is a plugin definition or a list of them; other exports that are one are offered too.
 *
 * @throws MusterError PLUGIN_LOAD when it is no such name or cannot be loaded in time, PLUGIN_INVALID when
 * it exports something else, PLUGIN_API_VERSION when it was made for another plugin API.
 */
export async function loadPackage(
  specifier: string,
  from: string,
  { timeout = loadTimeout }: { readonly timeout?: number } = {},
): Promise<PluginPackage> {
  const url = resolvePackage(specifier, from);
  let exports: PluginModule;
  try {
    exports = await importWithin(url, timeout);
  } catch (error) {
    throw new MusterError(
      "PLUGIN_LOAD",
      `package "${specifier}" cannot be loaded: ${messageOf(error)}`,
      { cause: error },
    );
  }
  return { specifier, url, definitions: definitionsOf(specifier, exports) };
}

interface PluginModule {
  readonly default?: unknown;
  readonly [name: string]: unknown;
}

/** One whose top level never ends would otherwise end the process without a word, or never. */
function importWithin(url: string, ms: number): Promise<PluginModule> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`it did not finish loading within ${ms} ms`));
    const timer = setTimeout(late, ms);
    import(/* @vite-ignore */ url).then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The `file:` URL of a package as seen from a file. Throws PLUGIN_LOAD as {@link loadPackage}. */
export function resolvePackage(specifier: string, from: string): string {
  const refused = refusal(specifier);
  if (refused !== undefined)
    throw new MusterError(
      "PLUGIN_LOAD",
      `package "${specifier}" ${refused}: give an npm name, or a path that starts with ./ or ../`,
    );
  let url: string;
  try {
    url = resolve(specifier, pathToFileURL(from).href);
  } catch (error) {
    throw new MusterError(
      "PLUGIN_LOAD",
      `package "${specifier}" is not found; install it where the configuration file is (${messageOf(error)})`,
      { cause: error },
    );
  }
  if (url.startsWith("file:")) return url;
  throw new MusterError("PLUGIN_LOAD", `package "${specifier}" is part of the JavaScript runtime`);
}

function refusal(specifier: string): string | undefined {
  if (/^[a-z]:[\\/]/i.test(specifier) || /^[\\/]/.test(specifier)) return "is an absolute path";
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier)) return "is a URL, and nothing is fetched";
  if (/^\.\.?[\\/]/.test(specifier)) return undefined;
  if (/^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/[\w.-]+)*$/.test(specifier)) return undefined;
  return "is no package";
}

function definitionsOf(
  specifier: string,
  { default: exported, ...named }: PluginModule,
): readonly PluginDefinition[] {
  const offered: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  const definitions = new Set([...offered, ...Object.values(named).filter(isPluginDefinition)]);
  return [...definitions].map((definition) => {
    try {
      checkDefinition(definition);
    } catch (error) {
      const text = `package "${specifier}": ${messageOf(error)}`;
      const hint = exported === undefined ? " (it has no default export)" : "";
      const { code } = error as MusterError;
      throw new MusterError(code, `${text}${hint}`, { cause: error });
    }
    return definition;
  });
}
