import { MusterError } from "@muster/core";
import {
  type Bucket,
  type BucketRangeOptions,
  type BucketWatchOptions,
  throwIfAborted,
  type WaitOptions,
  type WatchEvent,
} from "@muster/core/plane";
import { checkKey, checkValue } from "../store-key.ts";
import type { WatchQueue } from "../watch-queue.ts";
import type { OwnedEntry, SharedBucket } from "./shared-bucket.ts";

/** What a bucket has of its client. */
export interface MemoryClient {
  readonly shared: SharedBucket;
  readonly own: Set<OwnedEntry>;
  readonly watches: Set<WatchQueue>;
  readonly queueLimit: number | undefined;
  /** Aborts when the client is closed. */
  readonly stopped: AbortSignal;
}

/** A bucket as one client sees it. Nothing waits, so nothing happens between a check and a write. */
export class MemoryBucket implements Bucket {
  readonly name: string;
  readonly #client: MemoryClient;

  constructor(name: string, client: MemoryClient) {
    this.name = name;
    this.#client = client;
  }

  async create(key: string, value: string, options?: WaitOptions): Promise<boolean> {
    const shared = this.#use("create", options);
    checkKey(key);
    checkValue(key, value);
    if (shared.entries.has(key)) return false;
    shared.put(key, value, this.#client.own);
    return true;
  }

  async get(key: string, options?: WaitOptions): Promise<string | undefined> {
    return this.#use("get", options).entries.get(key)?.value;
  }

  async compareAndReplace(
    key: string,
    change: { readonly expected: string; readonly value: string },
    options?: WaitOptions,
  ): Promise<boolean> {
    const shared = this.#use("compareAndReplace", options);
    checkValue(key, change.value);
    if (shared.entries.get(key)?.value !== change.expected) return false;
    shared.put(key, change.value, this.#client.own);
    return true;
  }

  async delete(key: string, options?: WaitOptions): Promise<boolean> {
    return this.#use("delete", options).delete(key);
  }

  async entries(options?: BucketRangeOptions): Promise<ReadonlyMap<string, string>> {
    return this.#use("entries", options).snapshot(options?.prefix);
  }

  async watch(options?: BucketWatchOptions): Promise<AsyncIterableIterator<WatchEvent>> {
    const shared = this.#use("watch", options);
    const { queueLimit: limit, watches } = this.#client;
    const queue = shared.watch({
      prefix: options?.prefix,
      signal: options?.signal,
      limit,
      onClose: () => watches.delete(queue),
    });
    watches.add(queue);
    return queue.events;
  }

  #use(what: string, options: WaitOptions | undefined): SharedBucket {
    throwIfAborted(what, options?.signal);
    if (this.#client.stopped.aborted)
      throw new MusterError("STORE_CLOSED", `${what}: the memory store is closed`);
    return this.#client.shared;
  }
}
