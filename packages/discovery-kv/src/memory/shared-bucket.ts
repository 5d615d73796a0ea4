import { underPrefix } from "../store-key.ts";
import { createWatchQueue, type WatchQueue } from "../watch-queue.ts";

/** A key and whose it is. */
export interface OwnedEntry {
  readonly bucket: SharedBucket;
  readonly key: string;
  readonly value: string;
  /** Everything its writer owns; holds this entry as long as it is the present one. */
  readonly owner: Set<OwnedEntry>;
}

/** What {@link SharedBucket.watch} needs. */
export interface SharedWatchOptions {
  readonly prefix: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly limit: number | undefined;
  readonly onClose: () => void;
}

/** A bucket as all its clients see it. */
export class SharedBucket {
  readonly entries: Map<string, OwnedEntry> = new Map();
  readonly #watches = new Map<WatchQueue, (key: string) => boolean>();

  put(key: string, value: string, owner: Set<OwnedEntry>): void {
    this.#disown(key);
    const entry: OwnedEntry = { bucket: this, key, value, owner };
    owner.add(entry);
    this.entries.set(key, entry);
    for (const [queue, includes] of this.#watches) if (includes(key)) queue.put(key, value);
  }

  delete(key: string): boolean {
    if (!this.#disown(key)) return false;
    this.entries.delete(key);
    for (const [queue, includes] of this.#watches) if (includes(key)) queue.delete(key);
    return true;
  }

  snapshot(prefix: string | undefined): ReadonlyMap<string, string> {
    const includes = underPrefix(prefix);
    const values = new Map<string, string>();
    for (const { key, value } of this.entries.values()) if (includes(key)) values.set(key, value);
    return values;
  }

  watch({ prefix, signal, limit, onClose }: SharedWatchOptions): WatchQueue {
    const queue = createWatchQueue({
      snapshot: () => this.snapshot(prefix),
      limit,
      signal,
      onClose: () => {
        this.#watches.delete(queue);
        onClose();
      },
    });
    this.#watches.set(queue, underPrefix(prefix));
    return queue;
  }

  #disown(key: string): boolean {
    const entry = this.entries.get(key);
    return entry?.owner.delete(entry) === true;
  }
}
