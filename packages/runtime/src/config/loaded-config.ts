import type { EndpointDiscovery, Plugin, PluginKind, TypedName } from "@muster/core";
import type { PluginHost } from "../registry/plugin-host.ts";
import type { PluginRegistry } from "../registry/plugin-registry.ts";
import type { RuntimeOptions } from "../runtime-options.ts";
import type { SourceBinding } from "../wiring/wiring.ts";
import type { ServerConfig } from "./envelope.ts";

/** The two kinds of configuration. */
export type ConfigKind = "EndpointPickerConfig" | "MusterConfig";

/** A configuration that was checked and whose plugins were made; nothing was started. */
export interface LoadedConfig {
  readonly kind: ConfigKind;
  /** For `createRuntime`; add logger, meter and clock. */
  readonly runtime: ConfiguredRuntime;
  readonly server: ServerConfig;
  /** Not fatal; each begins with `file:line:column`. */
  readonly warnings: readonly string[];
  /** Every plugin that was made, in the order of the file, then those that were injected. */
  readonly plugins: readonly LoadedPlugin[];
}

/** The part of the runtime's options that a configuration gives. */
export interface ConfiguredRuntime extends RuntimeOptions {
  readonly discovery: readonly EndpointDiscovery[];
  readonly sources: readonly SourceBinding[];
  readonly plugins: readonly Plugin[];
  /** The registry given, and the packages that the configuration names. */
  readonly registry: PluginRegistry;
  /** With which the plugins were made. */
  readonly host: PluginHost;
}

/** One plugin of a configuration. */
export interface LoadedPlugin {
  readonly typedName: TypedName;
  readonly kind: PluginKind;
  /** The package that `package:` names. */
  readonly package?: string;
  /** `file:line:column: path` of its entry; unset when it was injected. */
  readonly place?: string;
  readonly use: "discovery" | "source" | "extractor" | "plugin" | "unused";
}
