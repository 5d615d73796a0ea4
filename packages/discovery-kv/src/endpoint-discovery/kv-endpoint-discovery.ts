import {
  createPluginContext,
  type DiscoveryNotifier,
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

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

class KvEndpointDiscovery implements EndpointDiscovery {
  readonly typedName: TypedName;
  readonly #parts: KvEndpointsParts;
  readonly #context: PluginContext;
  #gate: Gate = createGate();
  #running = false;

  constructor(parts: KvEndpointsParts, context: PluginContext) {
    this.typedName = typedName("kv-discovery", context.name);
    this.#parts = parts;
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
    const { logger, metrics } = this.#context;
    const reporter = new Reporter({ plugin, logger, metrics });
    const session = new Session({
      ...this.#parts,
      ...{ notifier, reporter, context: this.#context },
      signal: AbortSignal.any([options.signal, this.#context.signal]),
      onReady: this.#gate.open,
    });
    try {
      await session.run();
    } finally {
      reporter.close();
      this.#running = false;
      this.#gate = createGate();
    }
  }
}

function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
