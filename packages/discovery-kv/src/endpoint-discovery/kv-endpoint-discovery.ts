import {
  createDiscoveryRuns,
  createPluginContext,
  type DiscoveryNotifier,
  type DiscoveryRuns,
  type EndpointDiscovery,
  formatIssuePath,
  MusterError,
  type PluginContext,
  type TypedName,
  typedName,
} from "@muster/core";
import type { KeyValueStore } from "@muster/core/plane";
import { endpointsSchema, type KvEndpointsConfig, type KvEndpointsSettings } from "./config.ts";
import { Reporter } from "./reporter.ts";
import { Session } from "./session.ts";

/** What {@link createKvEndpointDiscovery} takes. */
export interface KvEndpointDiscoveryOptions extends KvEndpointsConfig {
  /** Makes the store: at each start, and again when one failed for good. It is closed after use. */
  readonly openStore: () => KeyValueStore | Promise<KeyValueStore>;
}

/**
 * Endpoints of the discovery plane over any key-value store, without the plugin and its configuration
 * of stores. Nothing is opened before it is started.
 *
 * @throws MusterError CONFIG_INVALID
 */
export function createKvEndpointDiscovery(
  options: KvEndpointDiscoveryOptions,
  context: Partial<PluginContext> = {},
): EndpointDiscovery {
  const { openStore, ...config } = options;
  const result = endpointsSchema["~standard"].validate(config);
  if (result instanceof Promise) throw new TypeError("the schema must not wait");
  if (result.issues !== undefined) {
    const text = result.issues.map(({ path, message }) => `${formatIssuePath(path)}: ${message}`);
    throw new MusterError("CONFIG_INVALID", `kv-discovery: ${text.join("; ")}`);
  }
  return makeDiscovery({ openStore, settings: result.value }, createPluginContext(context));
}

/** What {@link makeDiscovery} makes a discovery of. */
export interface KvEndpointsParts {
  readonly openStore: () => KeyValueStore | Promise<KeyValueStore>;
  readonly settings: KvEndpointsSettings;
}

/** Makes a discovery from checked settings. */
export function makeDiscovery(parts: KvEndpointsParts, context: PluginContext): EndpointDiscovery {
  return new KvEndpointDiscovery(parts, context);
}

class KvEndpointDiscovery implements EndpointDiscovery {
  readonly typedName: TypedName;
  readonly #parts: KvEndpointsParts;
  readonly #context: PluginContext;
  readonly #runs: DiscoveryRuns;

  constructor(parts: KvEndpointsParts, context: PluginContext) {
    this.typedName = typedName("kv-discovery", context.name);
    this.#runs = createDiscoveryRuns(this.typedName);
    this.#parts = parts;
    this.#context = context;
  }

  ready(): Promise<void> {
    return this.#runs.ready();
  }

  async start(notifier: DiscoveryNotifier, options: { signal: AbortSignal }): Promise<void> {
    await this.#runs.run(async (onReady) => {
      const context = this.#context;
      const { logger, metrics } = context;
      const reporter = new Reporter({ plugin: this.typedName, logger, metrics });
      const signal = AbortSignal.any([options.signal, context.signal]);
      try {
        const parts = { ...this.#parts, notifier, reporter, context, signal, onReady };
        await new Session(parts).run();
      } finally {
        reporter.close();
      }
    });
  }
}
