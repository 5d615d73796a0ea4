import { SharedBucket } from "./shared-bucket.ts";

/** What the memory stores of one process share; made by {@link createMemoryRegistry}. */
export class MemoryRegistry {
  readonly #buckets = new Map<string, SharedBucket>();

  /** Keys in all buckets. */
  get size(): number {
    let size = 0;
    for (const { entries } of this.#buckets.values()) size += entries.size;
    return size;
  }

  /** @internal */
  bucket(name: string): SharedBucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = new SharedBucket();
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }
}

/** An empty registry. The memory stores made on it see each other's keys, as clients of one server. */
export function createMemoryRegistry(): MemoryRegistry {
  return new MemoryRegistry();
}
