import {
  type Clock,
  type DiscoveryEndpointStore,
  type EndpointWriter,
  endpointId,
  type Logger,
  type Meter,
  type NamespacedName,
  silentLogger,
  silentMeter,
  systemClock,
  type TypedName,
} from "@muster/core";
import type { FleetEndpoints } from "../fleet.ts";
import { createInstruments } from "../telemetry/instruments.ts";
import { createLimitedLogger } from "../telemetry/limited-logger.ts";
import type { Owner } from "./claim.ts";
import { FleetView } from "./fleet-view.ts";
import { maxEndpoints, Ownership } from "./ownership.ts";
import { RecordStore } from "./record-store.ts";

/** Options of {@link createEndpointStore}. */
export interface EndpointStoreOptions {
  readonly logger?: Logger | undefined;
  readonly metrics?: Meter | undefined;
  readonly clock?: Clock | undefined;
  /** Endpoints it takes; further ones are refused, counted and logged. Default 100,000. */
  readonly maxEndpoints?: number | undefined;
}

/** Endpoints, who reports them, and the changes of both. Stands alone; a runtime has one inside. */
export interface EndpointStore {
  readonly endpoints: FleetEndpoints;
  /** What a discovery reports to. Each call makes a new owner, even under the same name. */
  owner(name: TypedName): OwnerStore;
  /** A handle that may write the named attributes only; `undefined` attributes: any. */
  writer(id: string, attributes?: ReadonlySet<string>): EndpointWriter | undefined;
  /** Removes every endpoint, whoever reports it. */
  clear(): void;
  /** Ends every feed and kills every handle; what is stored stays readable. */
  close(): void;
}

/** One discovery's door to a store. */
export interface OwnerStore extends DiscoveryEndpointStore {
  /** Endpoints it owns now: those it reported first, or that were handed over to it. */
  readonly size: number;
  /** Its endpoints are shown as degraded. */
  setDegraded(degraded: boolean): void;
  /** A new first pass begins: all it reports counts from here. */
  beginPass(): void;
  /** The pass is complete: endpoints it did not report in it are deleted or handed over. */
  completePass(): void;
}

/** Makes a store. */
export function createEndpointStore(options: EndpointStoreOptions = {}): EndpointStore {
  return createStoreParts(options).store;
}

/** A store and what the runtime needs of its inside. */
export interface StoreParts {
  readonly store: EndpointStore;
  readonly records: RecordStore;
}

/** Makes a store and hands out its inside too. */
export function createStoreParts(options: EndpointStoreOptions): StoreParts {
  const { clock = systemClock } = options;
  const logger = createLimitedLogger(options.logger ?? silentLogger, clock);
  const instruments = createInstruments(options.metrics ?? silentMeter);
  const onOverflow = (): void =>
    logger.warn({ code: "FEED_OVERFLOW" }, "a reader of changes was too slow and gets a snapshot");
  const records = new RecordStore({ clock, instruments, onOverflow });
  const ownership = new Ownership({
    store: records,
    instruments,
    logger,
    maxEndpoints: options.maxEndpoints ?? maxEndpoints,
  });
  const owners: Owner[] = [];
  const store: EndpointStore = {
    endpoints: new FleetView(records),
    owner(typedName) {
      const owner: Owner = { typedName, claims: new Map(), pass: 0, degraded: false };
      owners.push(owner);
      return ownerStore(owner, ownership);
    },
    writer: (id, attributes) => records.records.get(id)?.handle(attributes).endpoint,
    clear() {
      for (const owner of owners) owner.claims.clear();
      for (const record of [...records.records.values()]) records.remove(record);
    },
    close: () => records.close(),
  };
  return { store: Object.freeze(store), records };
}

function ownerStore(owner: Owner, ownership: Ownership): OwnerStore {
  return Object.freeze({
    get size() {
      return [...ownership.owned(owner)].length;
    },
    endpointUpsert: (metadata, options) => ownership.upsert(owner, metadata, options),
    endpointDelete: (id: NamespacedName) => ownership.delete(owner, endpointId(id)),
    discoveryDegraded: () => ownership.setDegraded(owner, true),
    discoveryRecovered: () => ownership.setDegraded(owner, false),
    setDegraded: (degraded) => ownership.setDegraded(owner, degraded),
    beginPass() {
      owner.pass += 1;
    },
    completePass: () => ownership.sweep(owner),
  } satisfies OwnerStore);
}
