import type { EndpointMetadata } from "@muster/core";
import { type Clock, type DiscoveredAttribute, equalEndpointMetadata } from "@muster/core";
import { ChangeFeed } from "../feed/change-feed.ts";
import type { Instruments } from "../telemetry/instruments.ts";
import type { Claim } from "./claim.ts";
import { EndpointRecord, type RecordContext } from "./endpoint-record.ts";
import { equalPlain } from "./equal-plain.ts";
import type { FleetEndpoint } from "./fleet-endpoint.ts";
import { PodIndex } from "./pod-index.ts";

/** Told of the life of endpoints, synchronously and in order. */
export interface StoreListener {
  added(record: EndpointRecord): void;
  /** Metadata, the discovery's attributes or the owner changed. */
  updated(record: EndpointRecord, before: EndpointMetadata): void;
  removed(record: EndpointRecord): void;
}

/** What a {@link RecordStore} needs. */
export interface RecordStoreOptions {
  readonly clock: Clock;
  readonly instruments: Instruments;
  readonly onOverflow: () => void;
}

/** Keeps the records, their indexes and revisions. Everything is synchronous: one call, one change. */
export class RecordStore {
  readonly records: Map<string, EndpointRecord> = new Map();
  readonly pods: PodIndex = new PodIndex();
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly #context: RecordContext;
  readonly #listeners: StoreListener[] = [];
  readonly #touched = new Set<EndpointRecord>();
  #views: readonly FleetEndpoint[] | undefined;

  constructor({ clock, instruments, onOverflow }: RecordStoreOptions) {
    this.clock = clock;
    this.feed = new ChangeFeed({
      entries: () => this.records.values(),
      views: () => this.views(),
      onSubscribers: (count) => instruments.subscribers.set(count),
      onOverflow: () => {
        instruments.overflows.add(1);
        onOverflow();
      },
    });
    this.#context = {
      clock,
      formatRevision: (n) => this.feed.format(n),
      touched: (record) => this.#touch(record),
      onRefused: () => instruments.deadWrites.add(1),
      onGetterError: () => instruments.getterErrors.add(1),
    };
  }

  get closed(): boolean {
    return this.feed.closed;
  }

  /** Listeners are told in the order in which they were added. */
  listen(listener: StoreListener): void {
    this.#listeners.push(listener);
  }

  /** All endpoints; the same array until one comes or goes. */
  views(): readonly FleetEndpoint[] {
    this.#views ??= Object.freeze(Array.from(this.records.values(), (record) => record.view));
    return this.#views;
  }

  create(claim: Claim): void {
    const record = new EndpointRecord(claim, this.#context);
    for (const { key, value } of claim.attributes) record.attributes.put(key, value);
    record.takeChanged();
    this.records.set(record.id, record);
    this.pods.add(record, claim.metadata);
    this.#views = undefined;
    for (const listener of this.#listeners) listener.added(record);
    this.feed.added(record);
  }

  /** Makes a record say what its owner's claim says; `before` are the attributes it replaces. */
  update(record: EndpointRecord, claim: Claim, before: readonly DiscoveredAttribute[]): void {
    const { metadata } = record.server;
    if (!equalEndpointMetadata(metadata, claim.metadata)) {
      record.server.updateMetadata(claim.metadata);
      this.pods.remove(record, metadata);
      this.pods.add(record, claim.metadata);
    }
    const kept = new Set(claim.attributes.map(({ key }) => key.name));
    for (const { key } of before) if (!kept.has(key.name)) record.attributes.delete(key);
    for (const { key, value } of claim.attributes) record.attributes.put(key, value);
    record.takeChanged();
    for (const listener of this.#listeners) listener.updated(record, metadata);
    this.feed.changed(record);
  }

  remove(record: EndpointRecord): void {
    this.records.delete(record.id);
    this.pods.remove(record, record.server.metadata);
    this.#views = undefined;
    record.remove();
    for (const listener of this.#listeners) listener.removed(record);
    this.feed.deleted(record);
  }

  /** Gives the record a new revision if it is still stored. */
  changed(record: EndpointRecord): void {
    if (!record.removed) this.feed.changed(record);
  }

  /** Kills every handle and ends every feed; what is stored stays readable. */
  close(): void {
    this.feed.close();
    this.#touched.clear();
    for (const record of this.records.values()) record.remove();
  }

  /** Writes outside of polls: one change for all of a turn. */
  #touch(record: EndpointRecord): void {
    if (this.#touched.size === 0) queueMicrotask(() => this.#flush());
    this.#touched.add(record);
  }

  #flush(): void {
    for (const record of this.#touched) if (record.takeChanged()) this.changed(record);
    this.#touched.clear();
  }
}

/** Whether two reports give the same attributes. */
export function sameAttributes(
  a: readonly DiscoveredAttribute[],
  b: readonly DiscoveredAttribute[],
): boolean {
  return (
    a.length === b.length &&
    a.every(({ key, value }, index) => {
      const other = b[index];
      return key.name === other?.key.name && equalPlain(value, other.value);
    })
  );
}
