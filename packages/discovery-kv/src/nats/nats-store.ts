import { type Counter, createPluginContext, MusterError, type PluginContext } from "@muster/core";
import {
  type Bucket,
  type BucketWatchOptions,
  formatHexId,
  type KeyValueStore,
  onAbort,
  type WaitOptions,
  type WatchEvent,
} from "@muster/core/plane";
import { randomId } from "../connection-id.ts";
import { Interruptions } from "../interruptions.ts";
import { readConfig } from "../read-config.ts";
import { checkBucketName } from "../store-key.ts";
import { bounded } from "./bounded.ts";
import { NatsBucket } from "./bucket.ts";
import { Census, type CensusOptions } from "./census.ts";
import { type NatsStoreConfig, type NatsStoreSettings, natsConfigSchema } from "./config.ts";
import { NatsConnection } from "./connection.ts";
import { createKeySpace } from "./keys.ts";
import { Lease } from "./lease.ts";
import { BucketStream } from "./stream.ts";
import { Survey } from "./survey.ts";
import { type OpenWatch, openWatch } from "./watch.ts";

/**
 * A store on NATS JetStream, server 2.9 or newer. Experimental: its options and the layout of its
 * bucket may change in a minor release. Needs the packages `@nats-io/transport-node` and
 * `@nats-io/jetstream`, which are loaded at first use.
 *
 * One bucket of NATS KV holds a whole fleet, `KV_<namespace>`: keys `<bucket>.<key>` with anything but
 * letters, digits, `/`, `-` and `_` as `=XX`; values as they are, the owner in the header
 * `Muster-Owner`. Since the server gives keys no lifetime of their own, each client that writes keeps
 * one lease, `=lease.<connection id>`, and renews it three times per `ttl`; readers leave out what
 * belongs to a lease that was not renewed, and remove it. Without any client left, the bucket drops
 * everything ten minutes (or 20 times `ttl`) after it was last written.
 *
 * A client that was away longer than its `ttl` writes its records again under the same id, except what
 * somebody deleted or replaced on purpose, and logs a warning. An interrupted watch goes on by itself.
 *
 * @throws MusterError STORE_CONFIG. Nothing is contacted before first use.
 */
export function createNatsStore(
  config: NatsStoreConfig,
  context?: Partial<PluginContext>,
): KeyValueStore {
  return new NatsStore(
    readConfig("NATS store", natsConfigSchema, config),
    createPluginContext(context),
  );
}

class NatsStore implements KeyValueStore {
  readonly type = "nats";
  readonly connectionId: bigint;
  readonly closed: Promise<MusterError | undefined>;
  readonly #clock: PluginContext["clock"];
  readonly #logger: PluginContext["logger"];
  readonly #interrupted: Counter;
  readonly #unlink: (() => void) | undefined;
  readonly #timeout: number;
  readonly #queueLimit: number | undefined;
  readonly #parts: CensusOptions;
  readonly #connection: NatsConnection;
  readonly #census: Census;
  readonly #lease: Lease;
  readonly #survey: Survey;
  readonly #watches = new Set<OpenWatch>();
  readonly #owner: string;
  #resolveClosed: (reason: undefined) => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: NatsStoreSettings, context: PluginContext) {
    const { ttl, namespace, connectionId = randomId() } = settings;
    const { clock, logger, metrics, signal } = context;
    this.connectionId = connectionId;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#clock = clock;
    this.#logger = logger;
    this.#interrupted = metrics.counter({
      name: "muster_store_nats_interruptions_total",
      help: "Times that a watch could not be followed.",
    });
    this.#timeout = settings.requestTimeout;
    this.#queueLimit = settings.queueLimit;
    this.#owner = formatHexId(connectionId);
    const keys = createKeySpace(namespace);
    const heartbeat = Math.min(1000, ttl / 4);
    const connection = new NatsConnection(settings, context);
    const stream = new BucketStream(connection, settings, clock);
    this.#connection = connection;
    this.#parts = { connection, stream, keys, clock, ttl, heartbeat };
    const owned = { ...this.#parts, owner: this.#owner };
    const leases = { store: "nats", bucket: "leases", logger };
    this.#census = new Census(
      this.#parts,
      new Interruptions({ ...leases, listener: undefined, onBegin: () => undefined }),
    );
    this.#survey = new Survey(owned);
    this.#lease = new Lease({ ...owned, context });
    this.#unlink = onAbort(signal, () => void this.close());
  }

  bucket(name: string): Bucket {
    checkBucketName(name);
    return new NatsBucket(name, {
      ...this.#parts,
      lease: this.#lease,
      survey: this.#survey,
      owner: this.#owner,
      watch: (bucket, options) => this.#watch(bucket, options),
      open: () => this.#assertOpen(),
    });
  }

  async check(options: WaitOptions = {}): Promise<void> {
    this.#assertOpen();
    const run = { what: "checking NATS", signal: options.signal, repeatable: true };
    await this.#connection.run(run, (session) => this.#parts.stream.ensure(session));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(): void {
    if (this.#closing) throw new MusterError("STORE_CLOSED", "the NATS store was closed");
  }

  async #watch(
    bucket: string,
    watch: BucketWatchOptions,
  ): Promise<AsyncIterableIterator<WatchEvent>> {
    let ended = false;
    let open: OpenWatch | undefined;
    const onEnd = (): void => {
      ended = true;
      if (open) this.#watches.delete(open);
    };
    const parts = { ...this.#parts, census: this.#census, queueLimit: this.#queueLimit };
    const interruptions = new Interruptions({
      ...{ store: "nats", bucket, logger: this.#logger, listener: watch.onInterruption },
      onBegin: () => this.#interrupted.add(1),
    });
    open = await openWatch({ ...parts, bucket, watch, interruptions, onEnd });
    if (!ended) this.#watches.add(open);
    if (this.#closing) await open.end();
    return open.events;
  }

  async #close(): Promise<void> {
    this.#unlink?.();
    const ending = [...this.#watches].map((watch) => watch.end());
    const bound = { clock: this.#clock, timeout: this.#timeout, what: "taking our records away" };
    // what is left of it vanishes with our lease
    await bounded(this.#lease.release(), bound).catch(() => undefined);
    await this.#connection.close();
    await Promise.all(ending);
    this.#resolveClosed(undefined);
  }
}
