import { MusterError, type PluginContext } from "@muster/core";
import {
  type Bucket,
  type KeyValueStore,
  onAbort,
  throwIfAborted,
  type WaitOptions,
} from "@muster/core/plane";
import { checkConnectionId, randomId } from "../connection-id.ts";
import { checkBucketName } from "../store-key.ts";
import type { WatchQueue } from "../watch-queue.ts";
import { MemoryBucket } from "./memory-bucket.ts";
import { createMemoryRegistry, type MemoryRegistry } from "./memory-registry.ts";
import type { OwnedEntry } from "./shared-bucket.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** What it shares with other stores; default: a registry of its own. */
  readonly registry?: MemoryRegistry | undefined;
  /** Default: a random number of 64 bits. */
  readonly connectionId?: bigint | undefined;
  /** Changes that wait for a slow reader of a watch before they become one `Resync`; default 16,384. */
  readonly queueLimit?: number | undefined;
}

/**
 * A store in the memory of this process, for tests, demos and fleets of one process. Its keys go when
 * it is closed, or when `context.signal` aborts.
 *
 * @throws MusterError STORE_CONFIG when the connection id is none of 64 bits
 */
export function createMemoryStore(
  options: MemoryStoreOptions = {},
  context: Partial<PluginContext> = {},
): KeyValueStore {
  return new MemoryStore(options, context.signal);
}

class MemoryStore implements KeyValueStore {
  readonly type = "memory";
  readonly connectionId: bigint;
  readonly closed: Promise<MusterError | undefined>;
  readonly #registry: MemoryRegistry;
  readonly #queueLimit: number | undefined;
  readonly #own = new Set<OwnedEntry>();
  readonly #watches = new Set<WatchQueue>();
  readonly #unlink: (() => void) | undefined;
  readonly #stopped = new AbortController();

  constructor(options: MemoryStoreOptions, signal: AbortSignal | undefined) {
    const { connectionId = randomId(), registry = createMemoryRegistry() } = options;
    checkConnectionId("memory store", connectionId);
    this.connectionId = connectionId;
    this.#registry = registry;
    this.#queueLimit = options.queueLimit;
    this.closed = new Promise((resolve) => {
      onAbort(this.#stopped.signal, () => resolve(undefined));
    });
    this.#unlink = onAbort(signal, () => void this.close());
  }

  bucket(name: string): Bucket {
    checkBucketName(name);
    return new MemoryBucket(name, {
      shared: this.#registry.bucket(name),
      own: this.#own,
      watches: this.#watches,
      queueLimit: this.#queueLimit,
      stopped: this.#stopped.signal,
    });
  }

  async check(options?: WaitOptions): Promise<void> {
    throwIfAborted("check", options?.signal);
    if (this.#stopped.signal.aborted)
      throw new MusterError("STORE_CLOSED", "the memory store is closed");
  }

  async close(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    this.#unlink?.();
    for (const watch of [...this.#watches]) watch.end();
    for (const { bucket, key } of [...this.#own]) bucket.delete(key);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
