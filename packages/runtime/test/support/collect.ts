import {
  type Clock,
  type MusterError,
  namespacedName,
  type PollingSource,
  typedName,
} from "@muster/core";
import {
  createRecordingLogger,
  createRecordingMeter,
  type RecordingLogger,
  type RecordingMeter,
} from "@muster/testkit";
import { Collectors } from "../../src/collect/collectors.ts";
import { createPollBindings } from "../../src/collect/poll-binding.ts";
import { resolveThresholds } from "../../src/freshness/thresholds.ts";
import type { FreshnessOptions } from "../../src/runtime-options.ts";
import { createStoreParts, type EndpointStore } from "../../src/store/endpoint-store.ts";
import type { FleetEndpoint } from "../../src/store/fleet-endpoint.ts";
import { createInstruments } from "../../src/telemetry/instruments.ts";
import type { WiredSource } from "../../src/wiring/wiring.ts";
import { meta } from "./fleet.ts";

/** A store whose endpoints are polled, with one discovery `d` driven by the test. */
export interface Collecting {
  readonly logger: RecordingLogger;
  readonly meter: RecordingMeter;
  readonly store: EndpointStore;
  readonly collectors: Collectors;
  put(name: string, init?: Parameters<typeof meta>[1]): void;
  drop(name: string): void;
  view(name: string): FleetEndpoint;
  /** The number in the store's revision. */
  revision(): number;
}

/** Options of {@link collect}. */
export interface CollectOptions {
  readonly clock: Clock;
  readonly sources: readonly PollingSource<number>[];
  /** ms; default 1,000. */
  readonly interval?: number;
  readonly freshness?: FreshnessOptions;
}

/** Starts polling. */
export function collect(options: CollectOptions): Collecting {
  const { clock, sources, interval = 1000, freshness = {} } = options;
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const parts = createStoreParts({ clock, logger, metrics: meter });
  const wired = sources.map((source) => wire(source, source.interval ?? interval));
  const thresholds = resolveThresholds(freshness, wired);
  const collectors = new Collectors({
    ...{ store: parts.records, clock, logger, instruments: createInstruments(meter) },
    bindings: createPollBindings(wired, thresholds, interval),
  });
  parts.records.listen(collectors);
  collectors.start();
  const owner = parts.store.owner(typedName("d"));
  return {
    ...{ logger, meter, store: parts.store, collectors },
    put: (name, init) => owner.endpointUpsert(meta(name, init)),
    drop: (name) => owner.endpointDelete(namespacedName("default", name)),
    view(name) {
      const view = parts.store.endpoints.get(`default/${name}`);
      if (view === undefined) throw new Error(`there is no endpoint ${name}`);
      return view;
    },
    revision: () => Number(parts.store.endpoints.revision.split("-")[1]),
  };
}

function wire(source: PollingSource<number>, interval: number): WiredSource {
  const extractors = source.extractors.map((extractor) => ({
    ...{ extractor, origin: "configured" as const, owner: extractor.typedName },
  }));
  return { source, origin: "configured", interval, extractors };
}

/** Codes of problems, for comparing. */
export function codes(problems: readonly MusterError[]): string[] {
  return problems.map(({ code }) => code);
}
