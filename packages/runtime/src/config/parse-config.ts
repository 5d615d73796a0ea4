import type { Clock, Logger, Meter } from "@muster/core";
import { createPluginHost, type PluginHost } from "../registry/plugin-host.ts";
import type { PluginRegistry } from "../registry/plugin-registry.ts";
import { didYouMean } from "../registry/suggest.ts";
import { bindPlugins } from "./bind-plugins.ts";
import { parseConfigDocument } from "./config-document.ts";
import { DefinitionCatalogue } from "./definition-catalogue.ts";
import { readEndpointPickerConfig, warnOfUnusedParts } from "./endpoint-picker-config.ts";
import { defaultServer, type Settings } from "./envelope.ts";
import { injectDefaults } from "./inject-defaults.ts";
import type { ConfigKind, ConfiguredRuntime, LoadedConfig } from "./loaded-config.ts";
import { readMusterConfig } from "./muster-config.ts";
import { record } from "./outline.ts";
import { PluginShelf } from "./plugin-shelf.ts";
import { Report } from "./report.ts";

/** Options of `parseConfig` and `loadConfig`. */
export interface LoadConfigOptions {
  /** The configuration file; packages and secrets are looked for in its folder. */
  readonly file: string;
  /** The plugins that the configuration can name without a package. */
  readonly registry: PluginRegistry;
  /** For `${env:NAME}`; default: empty. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For the plugins, as meter and clock. */
  readonly logger?: Logger | undefined;
  readonly metrics?: Meter | undefined;
  readonly clock?: Clock | undefined;
  /** Makes the plugins; default: one with the logger, meter and clock given. */
  readonly host?: PluginHost | undefined;
}

const kinds: readonly ConfigKind[] = ["MusterConfig", "EndpointPickerConfig"];

/**
 * Checks a configuration and makes its plugins. Starts nothing; loads the packages that a
 * MusterConfig names, and reads the files that its secret fields name.
 *
 * @throws MusterError CONFIG_INVALID or CONFIG_PARSE with every problem, CONFIG_TOO_LARGE. The path
 * of a problem is `file:line:column: path`.
 */
export async function parseConfig(text: string, options: LoadConfigOptions): Promise<LoadedConfig> {
  const { file, env = {}, registry: given, host = createPluginHost(options) } = options;
  const document = parseConfigDocument(text, file);
  const report = new Report(document);
  const kind = kindOf(document.value, report);
  const strict = kind === "MusterConfig";
  const { outline: written, settings } = strict
    ? await readMusterConfig(document.value, { file, env, report })
    : readEndpointPickerConfig(document.value, report);
  const catalogue = new DefinitionCatalogue(given, { file, report });
  for (const entry of written.plugins) await catalogue.load(entry);
  const registry = catalogue.toRegistry();
  const has = (type: string): boolean => registry.get(type) !== undefined;
  const outline = injectDefaults(written, { has, report });
  const shelf = new PluginShelf(catalogue, { file, env, report, host, strict });
  for (const entry of outline.plugins) await shelf.add(entry);
  const bindings = bindPlugins(outline, { shelf, report, strict });
  if (!strict) {
    const plugins = shelf.unknown.map(({ entry }) => entry);
    warnOfUnusedParts({ value: document.value, plugins, known: registry.types(), report });
  }
  report.throwIfFailed();
  return {
    kind,
    runtime: { ...runtimeSettings(settings), ...bindings, registry, host },
    server: settings?.server ?? defaultServer(),
    warnings: report.warnings,
    plugins: shelf.loaded,
  };
}

/** Throws when it is neither: then nothing else can be said of the file. */
function kindOf(value: unknown, report: Report): ConfigKind {
  const { kind } = record(value);
  const found = kinds.find((known) => known === kind);
  if (found !== undefined) return found;
  const wanted = `must be ${kinds.join(" or ")}`;
  if (typeof kind === "string")
    report.problem(["kind"], `${wanted}, not "${kind}"${didYouMean(kind, kinds)}`);
  else report.problem([], `is no configuration: its kind ${wanted}`);
  throw report.toError();
}

function runtimeSettings(
  settings: Settings | undefined,
): Pick<ConfiguredRuntime, "interval" | "pool" | "freshness"> {
  const { interval, pool, freshness } = settings ?? {};
  return {
    ...(interval !== undefined && { interval }),
    ...(pool && { pool }),
    ...(freshness && { freshness }),
  };
}
