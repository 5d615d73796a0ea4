import { createPluginContext, MusterError, type PluginContext, toMusterError } from "@muster/core";
import {
  checkQuery,
  checkSpec,
  createDiscoveryStream,
  type Discovery,
  type DiscoveryFeed,
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type DiscoveryQuery,
  type DiscoverySpec,
  type DiscoveryStream,
  type DiscoveryWatchOptions,
  type KeyValueStore,
  type ModelCardInstanceId,
  matchesQuery,
  onAbort,
  throwIfAborted,
  type WaitOptions,
  withInstanceId,
} from "@muster/core/plane";
import { follow } from "./follow.ts";
import { replaceTaints } from "./model-taints.ts";
import { rangeOf } from "./range.ts";
import { RecordView } from "./record-view.ts";
import { registerRecord } from "./registration.ts";
import { removeRecord } from "./removal.ts";
import { SkippedRecords } from "./skipped-records.ts";

/** Options of {@link createKvDiscovery}. */
export interface KvDiscoveryOptions {
  /** Logger and meter; `signal` closes the plane. Default: silent. */
  readonly context?: Partial<PluginContext> | undefined;
  /** Default of the watches' `queueLimit`: 16,384. */
  readonly queueLimit?: number | undefined;
  /** Default of the watches' `resync`: true. */
  readonly resync?: boolean | undefined;
}

/**
 * The discovery plane over a key-value store, with the buckets, keys and records of NVIDIA Dynamo's.
 * Contacts nothing before its first use; closing it closes the store.
 */
export function createKvDiscovery(
  store: KeyValueStore,
  options: KvDiscoveryOptions = {},
): Discovery {
  return new KvDiscovery(store, options);
}

class KvDiscovery implements Discovery {
  readonly #store: KeyValueStore;
  readonly #options: KvDiscoveryOptions;
  readonly #context: PluginContext;
  readonly #skipped: SkippedRecords;
  readonly #onOverflow: () => void;
  readonly #feeds = new Set<DiscoveryFeed>();
  readonly #unlink: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(store: KeyValueStore, options: KvDiscoveryOptions) {
    this.#store = store;
    this.#options = options;
    this.#context = createPluginContext(options.context);
    this.#skipped = new SkippedRecords(this.#context);
    const overflows = this.#context.metrics.counter({
      name: "muster_plane_watch_overflows_total",
      help: "Watches whose reader was too slow and was brought up to date",
    });
    this.#onOverflow = () => overflows.add(1);
    this.#unlink = onAbort(options.context?.signal, () => void this.close());
  }

  get instanceId(): bigint {
    return this.#store.connectionId;
  }

  async register(spec: DiscoverySpec, options: WaitOptions = {}): Promise<DiscoveryInstance> {
    this.#use("register", options);
    checkSpec(spec);
    return registerRecord(
      withInstanceId(spec, this.instanceId),
      {
        store: this.#store,
        logger: this.#context.logger,
        modelsBeside: ({ namespace, component, endpoint }, wait) =>
          this.#list({ type: "EndpointModels", namespace, component, endpoint }, wait),
      },
      options,
    );
  }

  async unregister(
    instance: DiscoveryInstance | DiscoveryInstanceId,
    options: WaitOptions = {},
  ): Promise<void> {
    this.#use("unregister", options);
    await removeRecord(this.#store, "toPath" in instance ? instance : instance.id(), options);
  }

  async list(
    query: DiscoveryQuery,
    options: WaitOptions = {},
  ): Promise<readonly DiscoveryInstance[]> {
    this.#use("list", options);
    checkQuery(query);
    return this.#list(query, options);
  }

  async listAndWatch(
    query: DiscoveryQuery,
    options: DiscoveryWatchOptions = {},
  ): Promise<DiscoveryStream> {
    this.#use("listAndWatch", options);
    checkQuery(query);
    const { type, bucket, prefix } = rangeOf(query);
    const { signal, onInterruption } = options;
    const watch = await this.#store.bucket(bucket).watch({ prefix, signal, onInterruption });
    try {
      // both may have happened meanwhile
      this.#use("listAndWatch", options);
      const feed = createDiscoveryStream({
        query,
        signal,
        resync: options.resync ?? this.#options.resync,
        queueLimit: options.queueLimit ?? this.#options.queueLimit,
        onRejected: (problem, record) => this.#skipped.reject(record.id(), problem),
        onOverflow: this.#onOverflow,
        onClose: () => {
          this.#feeds.delete(feed);
          this.#letGo(watch);
        },
      });
      this.#feeds.add(feed);
      void follow(watch, new RecordView(type, this.#skipped), feed);
      return feed.stream;
    } catch (error) {
      this.#letGo(watch);
      throw error;
    }
  }

  async updateModelTaints(
    id: ModelCardInstanceId,
    taints: Iterable<string>,
    options: WaitOptions = {},
  ): Promise<DiscoveryInstance> {
    this.#use("updateModelTaints", options);
    return replaceTaints(this.#store, { id, taints: [...taints] }, options);
  }

  async check(options: WaitOptions = {}): Promise<void> {
    this.#use("check", options);
    await this.#store.check(options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#unlink?.();
    for (const feed of [...this.#feeds]) feed.end();
    await this.#store.close();
  }

  async #list(
    query: DiscoveryQuery,
    { signal }: WaitOptions,
  ): Promise<readonly DiscoveryInstance[]> {
    const { type, bucket, prefix } = rangeOf(query);
    const entries = await this.#store.bucket(bucket).entries({ prefix, signal });
    const all = new RecordView(type, this.#skipped).replace(entries);
    return all.filter((instance) => matchesQuery(query, instance));
  }

  #letGo(watch: AsyncIterator<unknown>): void {
    const failed = (error: unknown): void => {
      const problem = toMusterError(error, "INTERNAL");
      this.#context.logger.warn({ error: problem.toJSON() }, "a watch could not be ended");
    };
    Promise.resolve(watch.return?.()).catch(failed);
  }

  #use(what: string, { signal }: WaitOptions): void {
    if (this.#closing !== undefined)
      throw new MusterError("PLANE_CLOSED", `${what}: the discovery plane was closed`);
    throwIfAborted(what, signal);
  }
}
