import type { Bucket, BucketWatchOptions, KeyValueStore, WatchEvent } from "@muster/core/plane";
import { StreamLog } from "../stream-log.ts";
import type { Closable } from "../test-api.ts";
import { settled, verifyEqual } from "../verify.ts";

/** One store that is empty, and any number of clients on it. */
export interface KeyValueStoreWorld extends Closable {
  /** Makes a client; whoever makes it closes it, the suite does not rely on `close` for that. */
  client(): KeyValueStore | Promise<KeyValueStore>;
  /** Ends a client as a crash would: from now on it does nothing, so its keys are not taken away. */
  kill?(client: KeyValueStore): void | Promise<void>;
  /**
   * Lets that many ms pass for the store and its clients; default: waits that long. A store on a fake
   * clock advances it.
   */
  elapse?(ms: number): void | Promise<void>;
}

/** What {@link describeKeyValueStore} needs. */
export interface KeyValueStoreHarness {
  /** An empty store. */
  make(): KeyValueStoreWorld | Promise<KeyValueStoreWorld>;
  /**
   * How long keys of a client that died may stay, ms: set it as short as the store allows, the suite
   * lets twice as much pass. Without it, keep-alive and death are not tested.
   */
  readonly ttl?: number | undefined;
  /**
   * More changes than wait for a slow reader. Given, a reader that does not read while that many are
   * made must get fewer events than that; default 500, and only the outcome is compared.
   */
  readonly flood?: number | undefined;
  /** How long a change may take to be seen, ms; default 3,000. */
  readonly patience?: number | undefined;
}

/** What the tests of one world work with. */
export interface StoreBench {
  readonly world: KeyValueStoreWorld;
  readonly harness: KeyValueStoreHarness;
  readonly patience: number;
  /** A client that is closed at the end of the test. */
  client(): Promise<KeyValueStore>;
  /** The bucket under test as a new client has it. */
  bucket(name?: string): Promise<Bucket>;
  /** Opens a watch and reads it; established when it resolves. */
  watch(bucket: Bucket, options?: BucketWatchOptions): Promise<WatchLog>;
  elapse(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** A test of the suite. */
export type StoreTest = (name: string, body: (bench: StoreBench) => Promise<void>) => void;

/** The bucket that tests use when they need but one. */
export const bucketName = "v1/instances";

/** Makes the bench of one test. */
export async function createStoreBench(
  harness: KeyValueStoreHarness,
  patience: number,
): Promise<StoreBench> {
  const world = await harness.make();
  const clients: KeyValueStore[] = [];
  const client = async (): Promise<KeyValueStore> => {
    const made = await settled(Promise.resolve(world.client()), "a client", patience);
    clients.push(made);
    return made;
  };
  return {
    world,
    harness,
    patience,
    client,
    bucket: async (name = bucketName) => (await client()).bucket(name),
    watch: async (bucket, options) => {
      const stream = await settled(bucket.watch(options), "watch", patience);
      return new WatchLog(stream, patience);
    },
    async elapse(ms) {
      if (world.elapse) await world.elapse(ms);
      else await new Promise((resolve) => setTimeout(resolve, ms));
    },
    async close() {
      await Promise.all(clients.map((each) => settled(each.close(), "close", patience)));
      await world.close?.();
    },
  };
}

/** Follows a watch as its readers do: `Resync` replaces, `Put` sets, `Delete` removes. */
export class WatchLog extends StreamLog<WatchEvent> {
  /** Key to value, sorted by key; undefined before the first `Resync`. */
  view(): [string, string][] | undefined {
    let view: Map<string, string> | undefined;
    for (const event of this.events)
      if (event.type === "Resync") view = new Map(event.entries);
      else if (event.type === "Put") view?.set(event.key, event.value);
      else view?.delete(event.key);
    return view && sorted(view);
  }

  /** Every value that `key` was seen with, in order; undefined for a removal. */
  valuesOf(key: string): (string | undefined)[] {
    return this.events.flatMap((event) => {
      if (event.type === "Resync") return [event.entries.get(key)];
      return event.key === key ? [event.type === "Put" ? event.value : undefined] : [];
    });
  }

  /** Waits until the reader's view is exactly this. */
  async sees(entries: Record<string, string> | [string, string][], what: string): Promise<void> {
    await this.shows(() => this.view(), sorted(entries), what);
  }
}

/** Entries by key, for comparing. */
export function sorted(
  entries: ReadonlyMap<string, string> | Record<string, string> | [string, string][],
): [string, string][] {
  const list = Symbol.iterator in entries ? [...entries] : Object.entries(entries);
  return list.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Fails the test unless the bucket holds exactly these entries. */
export async function verifyEntries(
  bucket: Bucket,
  entries: Record<string, string> | [string, string][],
  what = "entries",
): Promise<void> {
  verifyEqual(sorted(await bucket.entries()), sorted(entries), what);
}

/** Waits until the bucket holds exactly these entries. */
export async function eventuallyHolds(
  bucket: Bucket,
  entries: Record<string, string>,
  options: { readonly what: string; readonly patience: number },
): Promise<void> {
  const deadline = performance.now() + options.patience;
  const expected = JSON.stringify(sorted(entries));
  while (JSON.stringify(sorted(await bucket.entries())) !== expected) {
    if (performance.now() > deadline) await verifyEntries(bucket, entries, options.what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
