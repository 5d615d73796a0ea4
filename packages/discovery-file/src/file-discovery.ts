import { resolve } from "node:path";
import {
  type Clock,
  type DiscoveryNotifier,
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

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

class FileDiscovery implements EndpointDiscovery {
  readonly typedName: TypedName;
  readonly #settings: FileDiscoverySettings;
  readonly #context: FileDiscoveryContext;
  #gate: Gate = createGate();
  #running = false;

  constructor(settings: FileDiscoverySettings, context: FileDiscoveryContext) {
    this.typedName = context.typedName;
    this.#settings = settings;
    this.#context = context;
  }

  ready(): Promise<void> {
    return this.#gate.opened;
  }

  async start(notifier: DiscoveryNotifier, options: { signal: AbortSignal }): Promise<void> {
    const plugin = this.typedName;
    if (this.#running)
      throw new MusterError("DISCOVERY_FAILED", "already started; abort that start first", {
        plugin,
      });
    this.#running = true;
    try {
      await this.#run(notifier, AbortSignal.any([options.signal, this.#context.signal]));
    } catch (error) {
      throw isMusterError(error) ? withPlugin(error, plugin) : error;
    } finally {
      this.#running = false;
      this.#gate = createGate();
    }
  }

  async #run(notifier: DiscoveryNotifier, signal: AbortSignal): Promise<void> {
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
      this.#gate.open();
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

function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolved) => {
    open = resolved;
  });
  return { opened, open: () => open() };
}

function withPlugin(error: MusterError, plugin: TypedName): MusterError {
  const { code, message, path, problems } = error;
  return new MusterError(code, message, { plugin, path, problems, cause: error.cause ?? error });
}
