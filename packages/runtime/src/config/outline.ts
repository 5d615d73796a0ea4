import type { Settings } from "./envelope.ts";
import type { ConfigPath } from "./report.ts";

/** One entry of `plugins`. */
export interface PluginEntry {
  readonly path: ConfigPath;
  readonly type: string;
  readonly name: string;
  readonly package: string | undefined;
  /** Whatever stands there; checked by the plugin. */
  readonly parameters: unknown;
  /** Added by `injectDefaults`; `path` is then where that is to be seen. */
  readonly injected?: boolean;
}

/** A `pluginRef`. */
export interface PluginReference {
  readonly path: ConfigPath;
  readonly name: string;
}

/** One entry of `dataLayer.sources`. */
export interface SourceEntry extends PluginReference {
  readonly extractors: readonly PluginReference[];
}

/** Who does what, as far as a configuration says it: both kinds share this shape. */
export interface Outline {
  readonly plugins: readonly PluginEntry[];
  readonly discovery: readonly PluginReference[];
  readonly sources: readonly SourceEntry[];
  readonly injectDefaults: boolean;
}

/** What both kinds of configuration come down to. */
export interface ReadConfig {
  readonly outline: Outline;
  /** `undefined` when they have problems. */
  readonly settings: Settings | undefined;
}

/**
 * Reads what can be read of a configuration that may have problems: what has not the right shape is
 * left out here, and reported by the schema. So a slip in one place does not hide those in others.
 */
export function readOutline(config: unknown, dataLayerKey = "dataLayer"): Outline {
  const root = record(config);
  const layer = record(root[dataLayerKey]);
  return {
    plugins: list(root.plugins).flatMap((entry, index) => readPlugin(entry, ["plugins", index])),
    discovery: [
      ...readDiscovery(root.discovery, ["discovery"]),
      ...readDiscovery(layer.discovery, [dataLayerKey, "discovery"]),
    ],
    sources: list(layer.sources).flatMap((entry, index) =>
      readSource(entry, [dataLayerKey, "sources", index]),
    ),
    injectDefaults: layer.injectDefaults !== false,
  };
}

function readPlugin(value: unknown, path: ConfigPath): PluginEntry[] {
  const { type, name, package: specifier, parameters } = record(value);
  if (typeof type !== "string" || type === "") return [];
  return [
    {
      path,
      type,
      name: typeof name === "string" && name !== "" ? name : type,
      package: typeof specifier === "string" ? specifier : undefined,
      parameters: parameters ?? {},
    },
  ];
}

function readDiscovery(value: unknown, path: ConfigPath): PluginReference[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => readDiscovery(item, [...path, index]));
  const { pluginRef, endpoints } = record(value);
  if (pluginRef !== undefined) return readReference(value, path);
  return readReference(endpoints, [...path, "endpoints"]);
}

function readSource(value: unknown, path: ConfigPath): SourceEntry[] {
  const extractors = list(record(value).extractors).flatMap((item, index) =>
    readReference(item, [...path, "extractors", index]),
  );
  return readReference(value, path).map((reference) => ({ ...reference, extractors }));
}

function readReference(value: unknown, path: ConfigPath): PluginReference[] {
  const { pluginRef } = record(value);
  if (typeof pluginRef !== "string" || pluginRef === "") return [];
  return [{ path: [...path, "pluginRef"], name: pluginRef }];
}

/** A map's content; empty for anything else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** A list's items; empty for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
