import type { ChangesOptions } from "../fleet.ts";
import type { ChangeFeed, FeedEntry, Resumption } from "./change-feed.ts";
import type { FleetChange, SnapshotReason } from "./fleet-change.ts";

/** A change that waits for the reader. */
interface Pending {
  /** Of the first change since the reader was last told: what it may resume after. */
  readonly revision: number;
  /** `undefined`: deleted. */
  readonly entry: FeedEntry | undefined;
  /** The reader has never been told of the endpoint, so a deletion need not be told either. */
  readonly isNew: boolean;
}

type Result = IteratorResult<FleetChange, undefined>;

/**
 * One reader's feed. Waiting changes are kept per endpoint in the order of the first one, so whoever
 * resumes after a change that was delivered misses none that was not.
 */
export class Subscription implements AsyncIterator<FleetChange, undefined> {
  readonly #feed: ChangeFeed;
  readonly #options: ChangesOptions & { readonly limit: number };
  readonly #pending = new Map<string, Pending>();
  readonly #readers: ((result: Result) => void)[] = [];
  #state: "new" | "open" | "closed" = "new";
  #snapshotDue: SnapshotReason | undefined;

  constructor(feed: ChangeFeed, options: ChangesOptions & { readonly limit: number }) {
    this.#feed = feed;
    this.#options = options;
  }

  next(): Promise<Result> {
    if (this.#state === "new") this.#open();
    return new Promise((resolve) => {
      this.#readers.push(resolve);
      this.#deliver();
    });
  }

  return(): Promise<Result> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  upserted(entry: FeedEntry, isNew: boolean): void {
    if (this.#snapshotDue !== undefined) return;
    const before = this.#pending.get(entry.id);
    if (before?.entry === entry) return;
    this.#pending.set(entry.id, {
      revision: before?.revision ?? entry.revision,
      entry,
      isNew: before?.isNew ?? isNew,
    });
    this.#arrived();
  }

  deleted(id: string, revision: number): void {
    if (this.#snapshotDue !== undefined) return;
    const before = this.#pending.get(id);
    if (before?.isNew) {
      this.#pending.delete(id);
      return;
    }
    this.#pending.set(id, {
      revision: before?.revision ?? revision,
      entry: undefined,
      isNew: false,
    });
    this.#arrived();
  }

  /** Ends the feed and lets go of everything. Idempotent. */
  readonly close = (): void => {
    this.#state = "closed";
    const { signal } = this.#options;
    if (signal !== undefined) this.#feed.aborts.delete(signal, this.close);
    this.#feed.unsubscribe(this);
    this.#pending.clear();
    for (const resolve of this.#readers.splice(0)) resolve({ done: true, value: undefined });
  };

  #open(): void {
    const { signal, since } = this.#options;
    if (this.#feed.closed || signal?.aborted) {
      this.close();
      return;
    }
    this.#state = "open";
    if (signal !== undefined) this.#feed.aborts.add(signal, this.close);
    this.#feed.subscribe(this);
    if (since === undefined) this.#snapshotDue = "start";
    else this.#resume(this.#feed.resume(since));
  }

  #resume(resumption: Resumption | undefined): void {
    const size = (resumption?.deleted.length ?? 0) + (resumption?.changed.length ?? 0);
    if (resumption === undefined || size > this.#options.limit) {
      this.#snapshotDue = "resume";
      return;
    }
    const missed: [string, Pending][] = [];
    for (const { id, revision } of resumption.deleted)
      missed.push([id, { revision, entry: undefined, isNew: false }]);
    for (const { entry, isNew } of resumption.changed)
      missed.push([entry.id, { revision: entry.revision, entry, isNew }]);
    missed.sort(([, a], [, b]) => a.revision - b.revision);
    for (const [id, pending] of missed) this.#pending.set(id, pending);
  }

  #arrived(): void {
    if (this.#readers.length > 0) this.#deliver();
    else if (this.#pending.size > this.#options.limit) {
      this.#pending.clear();
      this.#snapshotDue = "overflow";
      this.#feed.overflowed();
    }
  }

  #deliver(): void {
    while (this.#readers.length > 0) {
      const value = this.#state === "closed" ? undefined : this.#take();
      if (value === undefined && this.#state !== "closed") return;
      this.#readers.shift()?.(value === undefined ? { done: true, value } : { done: false, value });
    }
  }

  #take(): FleetChange | undefined {
    const feed = this.#feed;
    if (this.#snapshotDue !== undefined) {
      const reason = this.#snapshotDue;
      this.#snapshotDue = undefined;
      return { type: "snapshot", revision: feed.revision, reason, endpoints: feed.snapshot() };
    }
    for (const [id, { revision, entry }] of this.#pending) {
      this.#pending.delete(id);
      // the last one leaves nothing behind that resuming could miss
      const label = feed.format(this.#pending.size === 0 ? feed.n : revision);
      return entry === undefined
        ? { type: "delete", revision: label, id }
        : { type: "upsert", revision: label, endpoint: entry.view };
    }
    return undefined;
  }
}
