import type {
  AnyExtractor,
  DataSource,
  Duration,
  EndpointDiscovery,
  MusterError,
  ObjectWatcher,
  Plugin,
  TypedName,
} from "@muster/core";
import type { PluginHost } from "../registry/plugin-host.ts";
import type { PluginRegistry } from "../registry/plugin-registry.ts";

/** A source and the extractors the user wants on it, in the order in which they are to run. */
export interface SourceBinding {
  readonly source: DataSource;
  readonly extractors?: readonly AnyExtractor[] | undefined;
}

/** What {@link resolveWiring} resolves. */
export interface WiringInput {
  readonly discovery?: readonly EndpointDiscovery[] | undefined;
  readonly sources?: readonly SourceBinding[] | undefined;
  /** Further plugins: registrants, object watchers. */
  readonly plugins?: readonly Plugin[] | undefined;
  /** Definitions for default sources given as `{type, config}`. */
  readonly registry?: PluginRegistry | undefined;
  /** Makes those default sources; default: one with silent logger and meter. */
  readonly host?: PluginHost | undefined;
  /** The base tick; default `1s`. */
  readonly interval?: Duration | undefined;
}

/** Who feeds whom: what the runtime starts. */
export interface Wiring {
  readonly discovery: readonly EndpointDiscovery[];
  /** Configured ones in their order, then default ones in the order in which they were needed. */
  readonly sources: readonly WiredSource[];
  readonly plugins: readonly Plugin[];
  /**
   * Where notification sources get their events from: the first watcher among the plugins, or the
   * default of the first source that brings one, which is then among `plugins` too.
   */
  readonly objectWatcher: ObjectWatcher | undefined;
  /** What became of each registration, in the order in which they were made. */
  readonly registrations: readonly ResolvedRegistration[];
  /** ms between two ticks: every polling interval is a multiple of it. */
  readonly tick: number;
  /** One line each; not fatal. */
  readonly warnings: readonly string[];
}

/** One source and what is bound to it. */
export interface WiredSource {
  readonly source: DataSource;
  /** `default`: a registration brought it because no source of its type was configured. */
  readonly origin: "configured" | "default";
  /** Who registered it, when `default`. */
  readonly owner?: TypedName;
  /** ms between polls, rounded to the tick; polling sources only. */
  readonly interval?: number;
  /** In the order in which they run. */
  readonly extractors: readonly WiredExtractor[];
}

/** One extractor on one source. */
export interface WiredExtractor {
  readonly extractor: AnyExtractor;
  readonly origin: "configured" | "registered";
  /** Who registered it; the extractor itself when `configured`. */
  readonly owner: TypedName;
}

/**
 * What became of a registration: `bound`; `yielded` to an extractor of the same type that is there
 * already; `skipped` by its policy `warn`; `failed` with a problem.
 */
export interface ResolvedRegistration {
  readonly owner: TypedName;
  readonly extractor: TypedName;
  readonly sourceType: string;
  readonly outcome: "bound" | "yielded" | "skipped" | "failed";
  /** The source found or made. */
  readonly source?: TypedName;
}

/** A resolved wiring; not to be started when there are problems. */
export interface WiringResult {
  readonly wiring: Wiring;
  /** All of them; empty: {@link Wiring} is complete. */
  readonly problems: readonly MusterError[];
}
