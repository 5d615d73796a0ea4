import {
  type DiscoveryNotifier,
  delay,
  MusterError,
  messageOf,
  type PluginContext,
  toMusterError,
} from "@muster/core";
import {
  type Discovery,
  type DiscoveryQuery,
  type KeyValueStore,
  onAbort,
} from "@muster/core/plane";
import { backOff } from "../back-off.ts";
import { createKvDiscovery } from "../kv-discovery.ts";
import type { KvEndpointsSettings } from "./config.ts";
import { Departures } from "./departures.ts";
import { Outage } from "./outage.ts";
import type { Reporter } from "./reporter.ts";
import { Roll } from "./roll.ts";
import { Side } from "./side.ts";

/** What is wrong with our settings, not with the store: waiting would not mend it. */
const mistakes: ReadonlySet<string> = new Set([
  "CONFIG_INVALID",
  "PLANE_NAME",
  "STORE_CLIENT",
  "STORE_CONFIG",
  "STORE_KEY",
  "STORE_URL",
]);

/** What a {@link Session} needs. */
export interface SessionOptions {
  readonly openStore: () => KeyValueStore | Promise<KeyValueStore>;
  readonly settings: KvEndpointsSettings;
  readonly notifier: DiscoveryNotifier;
  readonly reporter: Reporter;
  readonly context: Pick<PluginContext, "logger" | "metrics" | "clock">;
  readonly signal: AbortSignal;
  /** The first pass is complete. */
  readonly onReady: () => void;
}

/** From one start of a discovery to its end. */
export class Session {
  readonly #options: SessionOptions;
  readonly #roll: Roll;
  readonly #outage: Outage;
  readonly #departures: Departures;
  #everCurrent = false;
  #attempt = 0;

  constructor(options: SessionOptions) {
    const { notifier, settings, reporter, context } = options;
    this.#options = options;
    const { clock } = context;
    this.#departures = new Departures({ clock, holdTime: settings.holdTime });
    this.#roll = new Roll({ notifier, settings, reporter, clock, departures: this.#departures });
    this.#outage = new Outage({
      ...{ notifier, clock, graceTime: settings.graceTime },
      onExpired: () => this.#expired(),
    });
  }

  /**
   * Follows the store until the signal aborts, and opens it again when it fails for good.
   *
   * @throws MusterError when it cannot be followed because the settings are wrong
   */
  async run(): Promise<void> {
    const { signal, context } = this.#options;
    try {
      while (!signal.aborted) {
        const reason = await this.#connect();
        if (signal.aborted) return;
        if (!this.#everCurrent && mistakes.has(reason.code)) throw reason;
        this.#lost(reason);
        await delay(context.clock, backOff(this.#attempt++), signal);
      }
    } finally {
      this.#outage.close();
      this.#roll.close();
      this.#departures.reset();
    }
  }

  /** Opens the store and follows it; gives the reason why that ended. */
  async #connect(): Promise<MusterError> {
    const ending = new AbortController();
    const unlink = onAbort(this.#options.signal, () => ending.abort());
    const { logger, metrics, clock } = this.#options.context;
    let plane: Discovery | undefined;
    try {
      const store = await this.#options.openStore();
      plane = createKvDiscovery(store, { context: { logger, metrics, clock } });
      await this.#follow(plane, ending.signal);
      return new MusterError("STORE_CLOSED", `the ${store.type} store was closed`);
    } catch (error) {
      return toMusterError(error, "STORE_UNAVAILABLE");
    } finally {
      unlink();
      ending.abort();
      await plane?.close().catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, "a store could not be closed");
      });
    }
  }

  /** Resolves when one of the streams ends. */
  async #follow(plane: Discovery, signal: AbortSignal): Promise<void> {
    const { settings, context } = this.#options;
    const onLost = (reason: MusterError): void => this.#lost(reason);
    const onCurrent = (): void => {
      if (sides.every(({ current }) => current)) this.#current();
    };
    const shared = { roll: this.#roll, clock: context.clock, signal, onLost, onCurrent };
    const sides = (["Endpoint", "Model"] as const).map(
      (type) => new Side({ ...shared, type, query: queryOf(type, settings) }),
    );
    const watches = await Promise.all(sides.map((side) => side.watch(plane)));
    await Promise.race(
      sides.map(async (side, index) => {
        const stream = watches[index];
        if (stream !== undefined) await side.follow(stream);
      }),
    );
  }

  /** The store cannot be followed. */
  #lost(reason: MusterError): void {
    if (this.#roll.isOpen) this.#departures.interrupted();
    this.#outage.begin(reason);
  }

  /** The roll has all records of both kinds. */
  #current(): void {
    this.#attempt = 0;
    this.#roll.open();
    this.#outage.end();
    this.#departures.recovered();
    if (!this.#everCurrent) this.#options.onReady();
    this.#everCurrent = true;
  }

  #expired(): void {
    if (!this.#roll.isOpen) return;
    this.#options.reporter.withdrawn(this.#roll.withdraw());
    // whose record is not there when the store is back has been away for too long already
    this.#departures.reset();
  }
}

function queryOf(type: "Endpoint" | "Model", settings: KvEndpointsSettings): DiscoveryQuery {
  const { namespace, component, endpoint } = settings;
  const ofModels = type === "Model";
  if (namespace === undefined) return { type: ofModels ? "AllModels" : "AllEndpoints" };
  if (component === undefined)
    return { type: ofModels ? "NamespacedModels" : "NamespacedEndpoints", namespace };
  if (endpoint === undefined)
    return { type: ofModels ? "ComponentModels" : "ComponentEndpoints", namespace, component };
  return { type: ofModels ? "EndpointModels" : "Endpoint", namespace, component, endpoint };
}
