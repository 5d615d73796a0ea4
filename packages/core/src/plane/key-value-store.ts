import type { MusterError } from "../errors.ts";
import type { WaitOptions } from "./discovery.ts";

/** One entry of a bucket; keys are relative to it. */
export interface StoreEntry {
  readonly key: string;
  readonly value: string;
}

/** A change in a bucket; `Resync` replaces everything said before. */
export type WatchEvent =
  | { readonly type: "Put"; readonly key: string; readonly value: string }
  | { readonly type: "Delete"; readonly key: string }
  | { readonly type: "Resync"; readonly entries: ReadonlyMap<string, string> };

/** Options of reading and watching a bucket. */
export interface BucketRangeOptions extends WaitOptions {
  /**
   * Only keys under this path: `a/b` takes `a/b` itself and `a/b/c`, never `a/bc`. Default, and
   * empty: all.
   */
  readonly prefix?: string | undefined;
}

/** Options of {@link Bucket.watch}. */
export interface BucketWatchOptions extends BucketRangeOptions {
  /**
   * Called with the reason when the store cannot be followed any more, and with undefined when it is
   * followed again. What was missed comes after that: the changes themselves where the store can go on
   * where it was, which may be none, or one `Resync`. What it throws is logged.
   */
  readonly onInterruption?: ((problem: MusterError | undefined) => void) | undefined;
}

/**
 * One bucket of a store: keys that are paths, values that are text. Keys written through it live as
 * long as the store object: they are kept alive, and vanish when it is closed or its process dies.
 *
 * Every method throws MusterError: STORE_CLOSED, STORE_UNAVAILABLE, STORE_TIMEOUT, STORE_AUTH,
 * STORE_TLS, STORE_RESPONSE, STORE_KEY, STORE_TOO_LARGE, STORE_LEASE_LOST, STORE_CONFIG and
 * STORE_CLIENT for what is only found out at the first use, and PLANE_ABORTED when its signal aborts
 * first.
 */
export interface Bucket {
  /** Such as `v1/instances`. */
  readonly name: string;
  /**
   * Stores a value under a key that is not there.
   *
   * @returns whether it was created; false leaves the present value alone
   */
  create(key: string, value: string, options?: WaitOptions): Promise<boolean>;
  /** The value of a key, or undefined. */
  get(key: string, options?: WaitOptions): Promise<string | undefined>;
  /**
   * Replaces a value if it still is what it was.
   *
   * @returns false when the key is gone or has another value
   */
  compareAndReplace(
    key: string,
    change: { readonly expected: string; readonly value: string },
    options?: WaitOptions,
  ): Promise<boolean>;
  /**
   * Removes a key, whoever wrote it.
   *
   * @returns whether it was there
   */
  delete(key: string, options?: WaitOptions): Promise<boolean>;
  /** Everything there is, captured at one moment where the store can. */
  entries(options?: BucketRangeOptions): Promise<ReadonlyMap<string, string>>;
  /**
   * Follows the bucket. Established when it resolves: the first event is one `Resync` with what is
   * there (possibly nothing), and nothing after it is missed. Another `Resync` follows when a reader
   * is too slow, and after an interruption unless the store can tell each change of it. Ends when
   * returned, aborted or closed; throws only what can never be mended.
   */
  watch(options?: BucketWatchOptions): Promise<AsyncIterableIterator<WatchEvent>>;
}

/** A key-value store that the discovery plane can live on. Nothing is contacted before first use. */
export interface KeyValueStore extends AsyncDisposable {
  /** Kind of store, for messages: `etcd`, `file`. */
  readonly type: string;
  /** Identity of this client, 64 bits; in etcd the id of its lease. */
  readonly connectionId: bigint;
  /**
   * Resolves when the store was closed (with undefined), or has failed for good (with the reason:
   * STORE_LEASE_LOST where that is fatal). Never rejects.
   */
  readonly closed: Promise<MusterError | undefined>;
  /** A bucket by name; made by whoever writes to it first, empty until then. */
  bucket(name: string): Bucket;
  /** Resolves when the store answers; throws why it does not. */
  check(options?: WaitOptions): Promise<void>;
  /** Removes what this client wrote, ends its watches, lets go of everything. Idempotent. */
  close(): Promise<void>;
}
