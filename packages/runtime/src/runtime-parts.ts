import { type Clock, formatTypedName, type Logger, type Meter, type Plugin } from "@muster/core";
import { Collectors } from "./collect/collectors.ts";
import { createPollBindings } from "./collect/poll-binding.ts";
import { DiscoverySupervisor } from "./discovery/supervisor.ts";
import { EndpointEvents } from "./events/endpoint-events.ts";
import { EventRunner } from "./events/event-runner.ts";
import { NotificationWatch } from "./events/notification-watch.ts";
import type { ResolvedThresholds } from "./freshness/thresholds.ts";
import type { Stoppable } from "./lifecycle/stop-phases.ts";
import type { StoreParts } from "./store/endpoint-store.ts";
import { createInstruments } from "./telemetry/instruments.ts";
import { createLimitedLogger } from "./telemetry/limited-logger.ts";
import type { Wiring } from "./wiring/wiring.ts";

/** What {@link FleetParts} are made from. */
export interface FleetPartsOptions {
  readonly store: StoreParts;
  readonly wiring: Wiring;
  readonly thresholds: ResolvedThresholds;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Meter;
}

/** Everything that runs in a runtime, made but not started. */
export class FleetParts {
  readonly collectors: Collectors;
  readonly discoveries: readonly DiscoverySupervisor[];
  readonly watches: readonly NotificationWatch[];
  readonly #events: EndpointEvents;
  readonly #wiring: Wiring;
  readonly #stopping = new AbortController();
  #watching: Promise<unknown> = Promise.resolve();

  constructor({ store, wiring, thresholds, ...options }: FleetPartsOptions) {
    const { clock } = options;
    const logger = createLimitedLogger(options.logger, clock);
    const instruments = createInstruments(options.metrics);
    const { signal } = this.#stopping;
    const { records } = store;
    const bindings = createPollBindings(wiring.sources, thresholds, wiring.tick);
    const runner = new EventRunner({ clock, logger, instruments });
    this.#wiring = wiring;
    this.collectors = new Collectors({ store: records, bindings, clock, logger, instruments });
    this.#events = new EndpointEvents(wiring.sources, runner);
    const { objectWatcher: watcher } = wiring;
    this.watches = wiring.sources.flatMap(({ source, extractors }) =>
      source.variant === "notification" && watcher !== undefined
        ? [
            new NotificationWatch(source, extractors, {
              ...{ watcher, runner, clock, logger, instruments },
              signal: AbortSignal.any([signal]),
            }),
          ]
        : [],
    );
    this.discoveries = wiring.discovery.map((discovery) => {
      const owner = store.store.owner(discovery.typedName);
      return new DiscoverySupervisor(discovery, { store: owner, clock, logger, instruments });
    });
    // freshness first: event extractors may look at it
    records.listen(this.collectors);
    records.listen(this.#events);
  }

  /** Starts all but the discoveries, which fill what is ready for them by then. */
  start(): void {
    this.#watching = Promise.all(this.watches.map((watch) => watch.run()));
    this.collectors.start();
  }

  /** How to stop what runs, in order. */
  stopPhases(): Stoppable[][] {
    return [
      this.discoveries.map((discovery) => ({
        name: `discovery ${discovery.name}`,
        stop: () => discovery.stop(),
      })),
      [
        { name: "polls", stop: () => this.collectors.stop() },
        {
          name: "event extractors and watches",
          stop: async () => {
            this.#stopping.abort();
            await Promise.all([this.#events.stop(), this.#watching]);
          },
        },
      ],
    ];
  }

  /** How to stop the plugins, in order: each after all that use it. */
  pluginPhases(): Stoppable[][] {
    const { discovery, sources, plugins } = this.#wiring;
    const extractors = sources.flatMap((wired) => wired.extractors.map((it) => it.extractor));
    const seen = new Set<Plugin>();
    return [[...discovery, ...sources.map(({ source }) => source)], extractors, plugins].map(
      (phase) =>
        phase
          .filter((plugin) => !seen.has(plugin) && seen.add(plugin))
          .map((plugin) => ({
            name: `plugin ${formatTypedName(plugin.typedName)}`,
            stop: () => plugin.stop?.(),
          })),
    );
  }
}
