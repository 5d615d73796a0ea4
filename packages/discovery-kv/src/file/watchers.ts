import type { MusterError } from "@muster/core";
import type { BucketWatchOptions } from "@muster/core/plane";
import { tellListener } from "../interruptions.ts";
import { underPrefix } from "../store-key.ts";
import { createWatchQueue, type WatchQueue } from "../watch-queue.ts";

/** What {@link Watchers} needs. */
export interface WatchersOptions {
  /** What there is now, of some keys. */
  readonly snapshot: (includes: (key: string) => boolean) => ReadonlyMap<string, string>;
  /** The last one has left. */
  readonly onEmpty: () => void;
  /** A listener of interruptions threw. */
  readonly onThrow: (message: string) => void;
}

interface Watcher {
  readonly queue: WatchQueue;
  readonly includes: (key: string) => boolean;
  readonly onInterruption: BucketWatchOptions["onInterruption"];
}

/** Everyone who watches one bucket. */
export class Watchers {
  readonly #options: WatchersOptions;
  readonly #watchers = new Set<Watcher>();

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#watchers.size;
  }

  add({ prefix, signal, onInterruption }: BucketWatchOptions): WatchQueue {
    const { snapshot, onEmpty } = this.#options;
    const includes = underPrefix(prefix);
    const queue = createWatchQueue({
      snapshot: () => snapshot(includes),
      signal,
      onClose: () => {
        if (this.#watchers.delete(watcher) && this.size === 0) onEmpty();
      },
    });
    const watcher: Watcher = { queue, includes, onInterruption };
    if (!queue.closed) this.#watchers.add(watcher);
    return queue;
  }

  put(key: string, value: string): void {
    for (const { queue, includes } of this.#watchers) if (includes(key)) queue.put(key, value);
  }

  delete(key: string): void {
    for (const { queue, includes } of this.#watchers) if (includes(key)) queue.delete(key);
  }

  resync(): void {
    for (const { queue } of this.#watchers) queue.resync();
  }

  /** The bucket cannot be followed any more. */
  interrupt(problem: MusterError): void {
    for (const { onInterruption } of [...this.#watchers])
      tellListener(onInterruption, problem, this.#options.onThrow);
  }

  /** It can again: each gets what it has missed. */
  resume(): void {
    for (const { onInterruption, queue } of [...this.#watchers]) {
      tellListener(onInterruption, undefined, this.#options.onThrow);
      queue.resync();
    }
  }

  /** Ends all watches at once: what is unread is out of date, as everything of ours is taken away. */
  end(): void {
    for (const { queue } of [...this.#watchers]) void queue.events.return?.();
  }
}
