import { MusterError } from "@muster/core";
import type { Bucket, BucketWatchOptions, KeyValueStore, WatchEvent } from "@muster/core/plane";
import { EventQueue } from "./event-queue.ts";

export interface Entry {
  readonly value: string;
  readonly owner: MemoryKeyValueStore;
}

/** What all clients share: entries by bucket, and who watches. */
export class MemoryRegistry {
  readonly buckets: Map<string, Map<string, Entry>> = new Map();
  readonly watches: Set<(bucket: string, event: WatchEvent) => void> = new Set();
  readonly dead: Set<MemoryKeyValueStore> = new Set();

  entries(bucket: string): Map<string, Entry> {
    const entries = this.buckets.get(bucket) ?? new Map<string, Entry>();
    this.buckets.set(bucket, entries);
    return entries;
  }

  put(bucket: string, key: string, entry: Entry): void {
    this.entries(bucket).set(key, entry);
    this.tell(bucket, { type: "Put", key, value: entry.value });
  }

  remove(bucket: string, key: string): boolean {
    const removed = this.entries(bucket).delete(key);
    if (removed) this.tell(bucket, { type: "Delete", key });
    return removed;
  }

  removeAll(matches: (key: string, owner: MemoryKeyValueStore) => boolean): void {
    for (const [bucket, entries] of this.buckets)
      for (const [key, { owner }] of entries) if (matches(key, owner)) this.remove(bucket, key);
  }

  tell(bucket: string, event: WatchEvent): void {
    for (const watch of this.watches) watch(bucket, event);
  }

  /** Time passes: what dead clients left goes. */
  expire(): void {
    this.removeAll((_key, owner) => this.dead.has(owner));
  }
}

let nextId = 1n;

/** The smallest store that keeps the contract; subclasses break one rule each. */
export class MemoryKeyValueStore implements KeyValueStore {
  readonly type: string = "memory";
  readonly connectionId: bigint = nextId++;
  readonly closed: Promise<MusterError | undefined>;
  readonly registry: MemoryRegistry;
  readonly controller: AbortController = new AbortController();
  #resolveClosed: () => void = () => undefined;

  constructor(registry: MemoryRegistry) {
    this.registry = registry;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = () => resolve(undefined);
    });
  }

  bucket(name: string): Bucket {
    if (name === "") throw new MusterError("STORE_KEY", "a bucket needs a name");
    return new MemoryBucket(this, name);
  }

  async check(options?: { signal?: AbortSignal | undefined }): Promise<void> {
    this.enter(options?.signal);
  }

  async close(): Promise<void> {
    if (this.controller.signal.aborted) return;
    this.controller.abort();
    this.leave();
    this.#resolveClosed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Time passes, and this client lives. */
  touch(): void {}

  protected leave(): void {
    this.registry.removeAll((_key, owner) => owner === this);
  }

  /** What every call checks first. */
  enter(signal: AbortSignal | undefined, key = "-", value = ""): void {
    if (this.controller.signal.aborted)
      throw new MusterError("STORE_CLOSED", "the store is closed");
    if (signal?.aborted) throw new MusterError("PLANE_ABORTED", "aborted");
    if (key === "" || /\p{Surrogate}/u.test(key)) throw new MusterError("STORE_KEY", "not a key");
    if (value.length > 1_000_000) throw new MusterError("STORE_TOO_LARGE", "too large");
  }

  create(bucket: string, key: string, value: string): boolean {
    if (this.registry.entries(bucket).has(key)) return false;
    this.registry.put(bucket, key, { value, owner: this });
    return true;
  }

  replace(bucket: string, key: string, change: { expected: string; value: string }): boolean {
    const entry = this.registry.entries(bucket).get(key);
    if (entry?.value !== change.expected) return false;
    this.registry.put(bucket, key, { value: change.value, owner: entry.owner });
    return true;
  }

  delete(bucket: string, key: string): boolean {
    return this.registry.remove(bucket, key);
  }

  entriesUnder(bucket: string, prefix: string): Map<string, string> {
    const entries = [...this.registry.entries(bucket)];
    return new Map(
      entries.flatMap(([key, { value }]) => (this.isUnder(prefix, key) ? [[key, value]] : [])),
    );
  }

  isUnder(prefix: string, key: string): boolean {
    return prefix === "" || key === prefix || key.startsWith(`${prefix}/`);
  }

  watch(bucket: string, options: BucketWatchOptions = {}): AsyncIterableIterator<WatchEvent> {
    const { prefix = "", signal } = options;
    const follow = (changed: string, event: WatchEvent): void => {
      if (changed !== bucket) return;
      if (event.type === "Resync" || this.isUnder(prefix, event.key)) queue.push(event);
    };
    const queue = this.queue(
      (): WatchEvent => ({
        type: "Resync",
        entries: this.entriesUnder(bucket, prefix),
      }),
      () => this.registry.watches.delete(follow),
    );
    for (const each of [signal, this.controller.signal])
      each?.addEventListener("abort", () => queue.end(), { once: true });
    this.first(queue, { type: "Resync", entries: this.entriesUnder(bucket, prefix) });
    this.registry.watches.add(follow);
    return queue;
  }

  protected queue(resync: () => WatchEvent, onEnd: () => void): EventQueue<WatchEvent> {
    return new EventQueue({ limit: 100, resync, onEnd });
  }

  protected first(queue: EventQueue<WatchEvent>, resync: WatchEvent): void {
    queue.push(resync);
  }
}

class MemoryBucket implements Bucket {
  readonly name: string;
  readonly #store: MemoryKeyValueStore;

  constructor(store: MemoryKeyValueStore, name: string) {
    this.#store = store;
    this.name = name;
  }

  readonly create: Bucket["create"] = async (key, value, options) => {
    this.#store.enter(options?.signal, key, value);
    return this.#store.create(this.name, key, value);
  };

  readonly get: Bucket["get"] = async (key, options) => {
    this.#store.enter(options?.signal, key);
    return this.#store.registry.entries(this.name).get(key)?.value;
  };

  readonly compareAndReplace: Bucket["compareAndReplace"] = async (key, change, options) => {
    this.#store.enter(options?.signal, key, change.value);
    return this.#store.replace(this.name, key, change);
  };

  readonly delete: Bucket["delete"] = async (key, options) => {
    this.#store.enter(options?.signal, key);
    return this.#store.delete(this.name, key);
  };

  readonly entries: Bucket["entries"] = async (options) => {
    this.#store.enter(options?.signal);
    return this.#store.entriesUnder(this.name, options?.prefix ?? "");
  };

  readonly watch: Bucket["watch"] = async (options) => {
    this.#store.enter(options?.signal);
    return this.#store.watch(this.name, options);
  };
}
