import { isMusterError, MusterError, messageOf } from "@muster/core";
import {
  type Bucket,
  type BucketRangeOptions,
  type BucketWatchOptions,
  throwIfAborted,
  type WaitOptions,
  type WatchEvent,
} from "@muster/core/plane";
import { Interruptions } from "../interruptions.ts";
import { checkKey, checkValue } from "../store-key.ts";
import { createWatchQueue } from "../watch-queue.ts";
import type { EtcdClient } from "./etcd-client.ts";
import { keyRange } from "./key-range.ts";
import { readRange } from "./range-reader.ts";
import { RangeView } from "./range-view.ts";
import { followRange } from "./range-watch.ts";
import { fromWire, type RangeResponse, toWire } from "./wire.ts";

/** A bucket of etcd: the keys below `<name>/`. */
export class EtcdBucket implements Bucket {
  readonly name: string;
  readonly #client: EtcdClient;

  constructor(name: string, client: EtcdClient) {
    this.name = name;
    this.#client = client;
  }

  create(key: string, value: string, options?: WaitOptions): Promise<boolean> {
    return this.#run("create", options, () => {
      checkKey(key);
      checkValue(key, value);
      return this.#client.writer.create(this.#full(key), value, options);
    });
  }

  get(key: string, options?: WaitOptions): Promise<string | undefined> {
    return this.#run("get", options, async () => {
      const request = { key: toWire(this.#full(key)) };
      const { kvs } = await this.#client.gateway.ask<RangeResponse>(
        "/v3/kv/range",
        request,
        options,
      );
      const present = kvs?.[0];
      return present && fromWire(present.value);
    });
  }

  compareAndReplace(
    key: string,
    change: { readonly expected: string; readonly value: string },
    options?: WaitOptions,
  ): Promise<boolean> {
    return this.#run("compareAndReplace", options, () => {
      checkKey(key);
      checkValue(key, change.value);
      return this.#client.writer.replace(this.#full(key), change, options);
    });
  }

  delete(key: string, options?: WaitOptions): Promise<boolean> {
    return this.#run("delete", options, () => this.#client.writer.delete(this.#full(key), options));
  }

  entries(options?: BucketRangeOptions): Promise<ReadonlyMap<string, string>> {
    return this.#run("entries", options, async () => {
      const view = await this.#read(options);
      return view.values();
    });
  }

  watch(options?: BucketWatchOptions): Promise<AsyncIterableIterator<WatchEvent>> {
    return this.#run("watch", options, async () => {
      const view = await this.#read(options);
      // both may have happened at the very end of the reading
      throwIfAborted("watch", options?.signal);
      this.#client.throwIfClosed("watch");
      return this.#watch(view, options);
    });
  }

  #watch(
    view: RangeView,
    options: BucketWatchOptions | undefined,
  ): AsyncIterableIterator<WatchEvent> {
    const client = this.#client;
    const ended = new AbortController();
    const queue = createWatchQueue({
      snapshot: () => view.values(),
      limit: client.queueLimit,
      signal: options?.signal,
      onClose: () => {
        client.watches.delete(queue);
        ended.abort();
      },
    });
    client.watches.add(queue);
    void followRange({
      ...client,
      connections: client.streams,
      view,
      signal: ended.signal,
      onChange: (change) => {
        if (change.type === "put") queue.put(change.key, change.value);
        else queue.delete(change.key);
      },
      onStreamEnd: ({ code, message }) =>
        client.logger.debug(
          { store: "etcd", bucket: this.name, code },
          `a watch ended: ${message}`,
        ),
      onResync: () => {
        client.metrics.resynced();
        queue.resync();
      },
      interruptions: new Interruptions({
        ...{ store: "etcd", bucket: this.name, logger: client.logger },
        listener: options?.onInterruption,
        onBegin: () => client.metrics.interrupted(),
      }),
    });
    return queue.events;
  }

  async #read(options: BucketRangeOptions | undefined): Promise<RangeView> {
    const range = keyRange(this.name, options?.prefix);
    return new RangeView(range, await readRange(this.#client, range, options));
  }

  #full(key: string): string {
    return `${this.name}/${key}`;
  }

  /** An answer that is JSON, but not etcd's, may throw anything. */
  async #run<Result>(
    what: string,
    options: WaitOptions | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    throwIfAborted(what, options?.signal);
    this.#client.throwIfClosed(what);
    try {
      return await work();
    } catch (error) {
      if (isMusterError(error)) throw error;
      const message = `${what} in ${this.name}: etcd's answer cannot be read: ${messageOf(error)}`;
      throw new MusterError("STORE_RESPONSE", message, { cause: error });
    }
  }
}
