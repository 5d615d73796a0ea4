import { createPluginContext, MusterError, type PluginContext } from "@muster/core";
import {
  type Bucket,
  type KeyValueStore,
  onAbort,
  planeBuckets,
  throwIfAborted,
  type WaitOptions,
} from "@muster/core/plane";
import { readConfig } from "../read-config.ts";
import { checkBucketName } from "../store-key.ts";
import { type EtcdStoreConfig, etcdConfigSchema } from "./config.ts";
import { EtcdBucket } from "./etcd-bucket.ts";
import { createEtcdClient, type EtcdClient } from "./etcd-client.ts";
import { randomLeaseId } from "./lease-id.ts";
import { toWire } from "./wire.ts";

/**
 * A store in etcd 3.4 or newer, through its JSON gateway. Our identity is the id of a lease, which all
 * our keys hang on; it is granted at the first write, so that readers cost none. Contacts nothing
 * until it is used; closed when `context.signal` aborts.
 *
 * Watches find a dead connection within 5 s and the time-out of a call. A key of ours that somebody
 * else removes is not written again; that is noticed at the next renewal, after half a lifetime at
 * most, so what is removed just before the lease is lost does come back with it.
 *
 * @throws MusterError STORE_CONFIG
 */
export function createEtcdStore(
  config: EtcdStoreConfig,
  context: Partial<PluginContext> = {},
): KeyValueStore {
  return new EtcdStore(config, context);
}

/** A key that is never there, where whoever reads the plane may read. */
const checkedKey = /* @__PURE__ */ toWire(`${planeBuckets.Endpoint}/`);

class EtcdStore implements KeyValueStore {
  readonly type = "etcd";
  readonly connectionId: bigint;
  readonly closed: Promise<MusterError | undefined>;
  readonly #client: EtcdClient;
  readonly #stopped = new AbortController();
  readonly #unlink: (() => void) | undefined;
  #resolveClosed: (reason: MusterError | undefined) => void = () => undefined;
  #failure: MusterError | undefined;
  #closing: Promise<void> | undefined;

  constructor(config: EtcdStoreConfig, context: Partial<PluginContext>) {
    const settings = readConfig("etcd store", etcdConfigSchema, config);
    this.connectionId = settings.leaseId ?? randomLeaseId();
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#client = createEtcdClient({
      settings,
      context: createPluginContext(context),
      leaseId: this.connectionId,
      stopped: this.#stopped.signal,
      onFailure: (error) => this.#fail(error),
      throwIfClosed: (what) => this.#throwIfClosed(what),
    });
    this.#unlink = onAbort(context.signal, () => void this.close());
  }

  bucket(name: string): Bucket {
    checkBucketName(name);
    return new EtcdBucket(name, this.#client);
  }

  async check(options?: WaitOptions): Promise<void> {
    throwIfAborted("check", options?.signal);
    this.#throwIfClosed("check");
    // reads through the cluster's majority: a server that is cut off from it does not pass
    const request = { key: checkedKey, count_only: true };
    await this.#client.gateway.ask("/v3/kv/range", request, { ...options, once: true });
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
    this.#stopped.abort();
    for (const watch of [...this.#client.watches]) watch.end();
    await this.#client.lease.close(closedError("a write"));
    this.#client.disconnect();
    this.#resolveClosed(undefined);
  }

  /** For good: nothing works any more, and what waits learns why. */
  #fail(error: MusterError): void {
    this.#failure = error;
    this.#stopped.abort();
    for (const watch of [...this.#client.watches]) watch.end(error);
    this.#resolveClosed(error);
  }

  #throwIfClosed(what: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#stopped.signal.aborted) throw closedError(what);
  }
}

function closedError(what: string): MusterError {
  return new MusterError("STORE_CLOSED", `${what}: the etcd store is closed`);
}
