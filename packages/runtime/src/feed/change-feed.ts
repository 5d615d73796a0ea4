import { MusterError } from "@muster/core";
import type { ChangesOptions } from "../fleet.ts";
import type { FleetEndpoint } from "../store/fleet-endpoint.ts";
import { AbortCallbacks } from "./abort-callbacks.ts";
import type { FleetChange } from "./fleet-change.ts";
import { createEpoch, formatRevision, parseRevision } from "./revision.ts";
import { Subscription } from "./subscription.ts";
import { Tombstones } from "./tombstones.ts";

/** Changed endpoints that may wait for a slow reader. */
const defaultLimit = 10_000;
/** How many deletions back a feed can be resumed. */
const defaultTombstones = 10_000;

/** An endpoint as far as the feed needs to know it. */
export interface FeedEntry {
  readonly id: string;
  readonly view: FleetEndpoint;
  /** Number of the revision in which it was created. */
  created: number;
  /** Number of the revision of its last change. */
  revision: number;
}

/** What {@link ChangeFeed} is told to report. */
export interface ChangeFeedOptions {
  /** All endpoints there are, in order. */
  readonly entries: () => Iterable<FeedEntry>;
  readonly views: () => readonly FleetEndpoint[];
  readonly onSubscribers?: (count: number) => void;
  readonly onOverflow?: () => void;
  readonly tombstones?: number;
}

/** How a subscription goes on after the revision its reader knows. */
export interface Resumption {
  readonly deleted: readonly { readonly id: string; readonly revision: number }[];
  /** Changed endpoints, those that changed first in front. */
  readonly changed: readonly { readonly entry: FeedEntry; readonly isNew: boolean }[];
}

/** Numbers the changes of a store and hands them to any number of readers. */
export class ChangeFeed {
  readonly epoch: string = createEpoch();
  /** @internal */
  readonly aborts: AbortCallbacks = new AbortCallbacks();
  readonly #options: ChangeFeedOptions;
  readonly #tombstones: Tombstones;
  readonly #subscriptions = new Set<Subscription>();
  #n = 0;
  #closed = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    this.#tombstones = new Tombstones(options.tombstones ?? defaultTombstones);
  }

  /** The number of the latest revision. */
  get n(): number {
    return this.#n;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get revision(): string {
    return this.format(this.#n);
  }

  format(n: number): string {
    return formatRevision(this.epoch, n);
  }

  /** An endpoint was created. */
  added(entry: FeedEntry): void {
    entry.created = this.#n + 1;
    this.#changed(entry, true);
  }

  /** An endpoint changed. */
  changed(entry: FeedEntry): void {
    this.#changed(entry, false);
  }

  /** An endpoint was removed. */
  deleted(entry: FeedEntry): void {
    const deleted = ++this.#n;
    this.#tombstones.add({ id: entry.id, created: entry.created, deleted });
    for (const subscription of this.#subscriptions) subscription.deleted(entry.id, deleted);
  }

  /** See `FleetEndpoints.changes`. */
  changes(options: ChangesOptions = {}): AsyncIterable<FleetChange> {
    const { limit = defaultLimit } = options;
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new MusterError("CONFIG_INVALID", `limit ${limit} must be a whole number from 1`, {
        path: "limit",
      });
    return {
      [Symbol.asyncIterator]: () => new Subscription(this, { ...options, limit }),
    };
  }

  /** Ends every feed, now and later. */
  close(): void {
    this.#closed = true;
    for (const subscription of [...this.#subscriptions]) subscription.close();
  }

  /** @internal */
  subscribe(subscription: Subscription): void {
    this.#subscriptions.add(subscription);
    this.#options.onSubscribers?.(this.#subscriptions.size);
  }

  /** @internal */
  unsubscribe(subscription: Subscription): void {
    if (this.#subscriptions.delete(subscription))
      this.#options.onSubscribers?.(this.#subscriptions.size);
  }

  /** @internal */
  overflowed(): void {
    this.#options.onOverflow?.();
  }

  /** @internal */
  snapshot(): readonly FleetEndpoint[] {
    return this.#options.views();
  }

  /** @internal What changed after `since`; `undefined` when that is no longer known. */
  resume(since: string): Resumption | undefined {
    const n = parseRevision(this.epoch, since);
    if (n === undefined || n > this.#n || n < this.#tombstones.floor) return undefined;
    const changed: FeedEntry[] = [];
    const living = new Set<string>();
    for (const entry of this.#options.entries()) {
      if (entry.revision <= n) continue;
      changed.push(entry);
      living.add(entry.id);
    }
    changed.sort((a, b) => a.revision - b.revision);
    const gone = this.#tombstones.after(n);
    const known = new Set(gone.map(({ id }) => id));
    return {
      deleted: gone
        .filter(({ id }) => !living.has(id))
        .map(({ id, deleted }) => ({ id, revision: deleted })),
      changed: changed.map((entry) => ({
        entry,
        isNew: entry.created > n && !known.has(entry.id),
      })),
    };
  }

  #changed(entry: FeedEntry, isNew: boolean): void {
    entry.revision = ++this.#n;
    for (const subscription of this.#subscriptions) subscription.upserted(entry, isNew);
  }
}
