import type { AnyExtractor } from "./extractor.ts";
import type { TypedName } from "./names.ts";
import type { Plugin } from "./plugin.ts";
import type { DataSource } from "./source.ts";

/**
 * What to do when no source of the required type is configured: `fail` is a start-up error, `warn`
 * logs and skips the wiring.
 */
export type MissingPolicy = "fail" | "warn";

/** A source to be made from the plugin registry, so that its package need not be imported. */
export interface SourceReference {
  readonly type: string;
  /** Default: the type. */
  readonly name?: string | undefined;
  /** The source's own configuration. */
  readonly config?: unknown;
}

/** An extractor's need of a source. */
export interface PendingRegistration {
  /** The registering plugin, for error messages. */
  readonly owner: TypedName;
  /** Type of the source to bind to, such as `metrics-data-source`. */
  readonly sourceType: string;
  readonly extractor: AnyExtractor;
  /** Used when no such source is configured; shared by all who ask for the same type. */
  readonly defaultSource?: DataSource | SourceReference | undefined;
  /** Applies without `defaultSource` only. Default `fail`. */
  readonly ifMissing?: MissingPolicy | undefined;
}

/** Takes the needs of plugins before the runtime is wired. */
export interface Registrar {
  /** Never throws: a bad registration is recorded, so that all problems are reported at once. */
  register(registration: PendingRegistration): void;
}

/** A plugin of any kind that needs sources for extractors. */
export interface Registrant {
  /** Called once, after all plugins exist and before the runtime is wired. */
  registerDependencies(registrar: Registrar): void;
}

/** Whether a plugin is a {@link Registrant}. */
export function isRegistrant<P extends Plugin>(plugin: P): plugin is P & Registrant {
  return typeof (plugin as Partial<Registrant>).registerDependencies === "function";
}
