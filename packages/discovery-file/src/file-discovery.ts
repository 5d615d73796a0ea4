import { resolve } from "node:path";
import {
  type Clock,
  createDiscoveryRuns,
  type DiscoveryNotifier,
  type DiscoveryRuns,
  type EndpointDiscovery,
  isMusterError,
  MusterError,
  type PluginContext,
  type TypedName,
} from "@muster/core";
import type { FileDiscoverySettings } from "./config.ts";
import { FileWatch } from "./file-watch.ts";
import { Reporter } from "./reporter.ts";
import { Session } from "./session.ts";

/** What a file discovery needs of its context. */
export type FileDiscoveryContext = PluginContext & { readonly typedName: TypedName };

/** Makes a discovery; nothing is read before it is started. */
export function createFileDiscovery(
  settings: FileDiscoverySettings,
  context: FileDiscoveryContext,
): EndpointDiscovery {
  return new FileDiscovery({ ...settings, path: resolve(settings.path) }, context);
}

interface Run {
  readonly notifier: DiscoveryNotifier;
  readonly signal: AbortSignal;
  readonly onReady: () => void;
}

class FileDiscovery implements EndpointDiscovery {
  readonly typedName: TypedName;
  readonly #settings: FileDiscoverySettings;
  readonly #context: FileDiscoveryContext;
  readonly #runs: DiscoveryRuns;

  constructor(settings: FileDiscoverySettings, context: FileDiscoveryContext) {
    this.typedName = context.typedName;
    this.#runs = createDiscoveryRuns(context.typedName);
    this.#settings = settings;
    this.#context = context;
  }

  ready(): Promise<void> {
    return this.#runs.ready();
  }

  async start(notifier: DiscoveryNotifier, options: { signal: AbortSignal }): Promise<void> {
    const signal = AbortSignal.any([options.signal, this.#context.signal]);
    await this.#runs.run(async (onReady) => {
      try {
        await this.#run({ notifier, signal, onReady });
      } catch (error) {
        throw isMusterError(error) ? withPlugin(error, this.typedName) : error;
      }
    });
  }

  async #run({ notifier, signal, onReady }: Run): Promise<void> {
    if (signal.aborted) return;
    const { path } = this.#settings;
    const { clock, logger, metrics } = this.#context;
    const reporter = new Reporter({ plugin: this.typedName, file: path, logger, metrics });
    const watch = this.#settings.watchFile ? this.#watch(clock, reporter) : undefined;
    const aborted = whenAborted(signal, () => watch?.close());
    const session = new Session({ path, clock, signal, notifier, reporter, watch });
    try {
      await session.begin();
      if (signal.aborted) return;
      onReady();
      await (watch ? session.follow(watch) : aborted);
    } finally {
      watch?.close();
      reporter.close();
    }
  }

  #watch(clock: Clock, reporter: Reporter): FileWatch {
    const { path, pollInterval } = this.#settings;
    const onUnwatched = (error: MusterError): void => reporter.unwatched(error);
    return new FileWatch({ path, clock, pollInterval, onUnwatched });
  }
}

function whenAborted(signal: AbortSignal, then: () => void): Promise<void> {
  return new Promise((resolved) => {
    const done = (): void => {
      then();
      resolved();
    };
    signal.addEventListener("abort", done, { once: true });
  });
}

function withPlugin(error: MusterError, plugin: TypedName): MusterError {
  const { code, message, path, problems } = error;
  return new MusterError(code, message, { plugin, path, problems, cause: error.cause ?? error });
}
