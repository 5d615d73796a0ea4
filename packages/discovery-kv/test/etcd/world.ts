import { Buffer } from "node:buffer";
import {
  type Clock,
  type LogFields,
  type MusterError,
  type PluginContext,
  systemClock,
} from "@muster/core";
import type { BucketWatchOptions, KeyValueStore, WatchEvent } from "@muster/core/plane";
import { createEtcdStore, type EtcdStoreConfig } from "@muster/discovery-kv/etcd";
import {
  type EtcdServer,
  startEtcd,
  startProxy,
  type TestProxy,
  until,
} from "@muster/test-servers";

/** A clock on which waits are a tenth as long: heartbeats every 500 ms instead of 5 s. */
export const hastyClock: Clock = {
  ...systemClock,
  monotonic: (): number => systemClock.monotonic() * 10,
  schedule: (callback: () => void, ms: number): (() => void) =>
    systemClock.schedule(callback, ms / 10),
};

/** Lines that a store logs. */
export interface Line {
  readonly [field: string]: unknown;
  readonly level: string;
  readonly message: string;
}

/** One etcd, and stores that reach it directly or through proxies. */
export class EtcdWorld implements AsyncDisposable {
  readonly etcd: EtcdServer;
  readonly lines: Line[] = [];
  /** Counters by name. */
  readonly counts: Map<string, number> = new Map();
  readonly #open: (() => unknown)[] = [];

  private constructor(etcd: EtcdServer) {
    this.etcd = etcd;
  }

  static async start(...options: Parameters<typeof startEtcd>): Promise<EtcdWorld> {
    return new EtcdWorld(await startEtcd(...options));
  }

  async proxy(): Promise<TestProxy> {
    const proxy = await startProxy(this.etcd);
    this.#open.push(() => proxy.close());
    return proxy;
  }

  /** A store whose lease lives 1 s. */
  store(
    proxy?: { readonly port: number },
    config: Partial<EtcdStoreConfig> = {},
    context: Partial<PluginContext> = {},
  ): KeyValueStore {
    const { port } = proxy ?? this.etcd;
    const store = createEtcdStore(
      { endpoints: `127.0.0.1:${port}`, ttl: "1s", ...config },
      { logger: this.#logger(), metrics: this.#metrics(), ...context },
    );
    this.#open.push(() => store.close());
    return store;
  }

  /** Removes everything, after a test. */
  async reset(): Promise<void> {
    this.etcd.resume();
    for (const close of this.#open.splice(0).reverse()) await close();
    this.lines.length = 0;
    this.counts.clear();
    await this.etcd.clear();
  }

  /** Writes that many records at once; returns them by key within the bucket. */
  async fill(bucket: string, count: number, value: string): Promise<Map<string, string>> {
    const keys = Array.from({ length: count }, (_, index) => String(index).padStart(4, "0"));
    const encode = (text: string): string => Buffer.from(text).toString("base64");
    for (let start = 0; start < count; start += 100) {
      const success = keys.slice(start, start + 100).map((key) => ({
        request_put: { key: encode(`${bucket}/${key}`), value: encode(value) },
      }));
      await this.etcd.call("/v3/kv/txn", { success });
    }
    return new Map(keys.map((key) => [key, value]));
  }

  /** Waits until etcd holds exactly this. */
  async holds(expected: Record<string, string>): Promise<void> {
    const wanted = JSON.stringify(Object.entries(expected).sort());
    let seen = "";
    await until(async () => {
      seen = JSON.stringify([...(await this.etcd.read())].sort());
      return seen === wanted;
    }, `etcd holds ${wanted}`).catch((error: Error) => {
      throw new Error(`${error.message}, but ${seen}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reset().catch(() => undefined);
    await this.etcd[Symbol.asyncDispose]();
  }

  #logger(): PluginContext["logger"] {
    const log =
      (level: string) =>
      (fields: LogFields, message: string): void =>
        void this.lines.push({ ...fields, level, message });
    return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
  }

  #metrics(): PluginContext["metrics"] {
    return {
      counter: ({ name }) => ({
        add: (value) => void this.counts.set(name, (this.counts.get(name) ?? 0) + value),
      }),
      gauge: () => ({ set: () => undefined, remove: () => undefined }),
      histogram: () => ({ observe: () => undefined }),
    };
  }
}

/** A watch that is read to its end, and what it says. */
export class WatchReader {
  readonly events: WatchEvent[] = [];
  /** Problems, and undefined when they are over. */
  readonly interruptions: (MusterError | undefined)[] = [];
  /** Settles when it ends. */
  ended: Promise<unknown> = Promise.resolve();

  static async open(
    store: KeyValueStore,
    bucket: string,
    options: BucketWatchOptions = {},
  ): Promise<WatchReader> {
    const reader = new WatchReader();
    const stream = await store.bucket(bucket).watch({
      ...options,
      onInterruption: (problem) => void reader.interruptions.push(problem),
    });
    reader.ended = reader.#read(stream).catch((error: unknown) => error);
    return reader;
  }

  get resyncs(): number {
    return this.events.filter(({ type }) => type === "Resync").length;
  }

  /** What a reader takes for true. */
  get view(): Record<string, string> {
    let view = new Map<string, string>();
    for (const event of this.events)
      if (event.type === "Resync") view = new Map(event.entries);
      else if (event.type === "Put") view.set(event.key, event.value);
      else view.delete(event.key);
    return Object.fromEntries([...view].sort());
  }

  /** Waits until its view is exactly this. */
  async sees(expected: Record<string, string>): Promise<void> {
    const wanted = JSON.stringify(Object.fromEntries(Object.entries(expected).sort()));
    await until(() => JSON.stringify(this.view) === wanted, `the watch shows ${wanted}`).catch(
      (error: Error) => {
        throw new Error(`${error.message}, but ${JSON.stringify(this.view)}`);
      },
    );
  }

  async #read(stream: AsyncIterable<WatchEvent>): Promise<void> {
    for await (const event of stream) this.events.push(event);
  }
}
