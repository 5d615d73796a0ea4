import { createPluginContext, MusterError, type PluginContext } from "@muster/core";
import {
  type Bucket,
  type KeyValueStore,
  onAbort,
  throwIfAborted,
  type WaitOptions,
} from "@muster/core/plane";
import { checkConnectionId, randomId } from "../connection-id.ts";
import { readConfig } from "../read-config.ts";
import { Serial } from "../serial.ts";
import { checkBucketName } from "../store-key.ts";
import { FileBucket } from "./bucket.ts";
import { BucketView } from "./bucket-view.ts";
import { type FileStoreConfig, type FileStoreSettings, fileStoreSchema } from "./config.ts";
import { Root } from "./directory.ts";
import { FsClock } from "./fs-clock.ts";
import { storeError } from "./fs-error.ts";
import { KeptRecords } from "./kept-records.ts";
import { listFiles } from "./listing.ts";
import { RecordWriter } from "./record-writer.ts";
import { Reporter } from "./reporter.ts";
import { StaleTemps } from "./stale-temps.ts";

/** Options of {@link createFileStore}. */
export interface FileStoreOptions extends FileStoreConfig {
  /**
   * Default: a random number of 64 bits. One that is given must be nobody else's; records that a
   * former process with it left are kept alive again when they are created again.
   */
  readonly connectionId?: bigint | undefined;
}

/**
 * A store in a directory, for the processes of one machine or of a shared file system; the layout is
 * the original's, whose processes may share it. `context` gives logger, metrics, clock and the signal
 * that closes it.
 *
 * Rights are what the umask leaves, as in the original: whoever may write to the directory is trusted.
 *
 * @throws MusterError STORE_CONFIG
 */
export function createFileStore(
  options: FileStoreOptions,
  context: Partial<PluginContext> = {},
): KeyValueStore {
  const { connectionId = randomId(), ...config } = options;
  checkConnectionId("file store", connectionId);
  const settings = readConfig("file store", fileStoreSchema, config);
  return new FileStore(connectionId, settings, createPluginContext(context));
}

interface OpenBucket {
  readonly bucket: FileBucket;
  readonly view: BucketView;
  readonly kept: KeptRecords;
}

class FileStore implements KeyValueStore {
  readonly type = "file";
  readonly connectionId: bigint;
  readonly closed: Promise<MusterError | undefined>;
  readonly #settings: FileStoreSettings;
  readonly #context: PluginContext;
  readonly #root: Root;
  readonly #fsClock: FsClock;
  readonly #reporter: Reporter;
  readonly #buckets = new Map<string, OpenBucket>();
  readonly #temps = new StaleTemps();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #stopped = new AbortController();
  readonly #unlink: (() => void) | undefined;
  #resolveClosed: () => void = () => undefined;
  #closing: Promise<void> | undefined;
  #cancelRound: (() => void) | undefined;
  #sweeping = false;

  constructor(connectionId: bigint, settings: FileStoreSettings, context: PluginContext) {
    this.connectionId = connectionId;
    this.#settings = settings;
    this.#context = context;
    this.#root = new Root(settings.root);
    const { clock, logger, metrics, signal } = context;
    this.#fsClock = new FsClock({
      clock,
      maxAge: this.#period,
      directory: () => this.#root.find(),
    });
    this.#reporter = new Reporter(this.#root.path, logger, metrics);
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = () => resolve(undefined);
    });
    this.#unlink = onAbort(signal, () => void this.close());
  }

  bucket(name: string): Bucket {
    checkBucketName(name);
    const open = this.#buckets.get(name) ?? this.#open(name);
    this.#buckets.set(name, open);
    return open.bucket;
  }

  async check(options?: WaitOptions): Promise<void> {
    throwIfAborted("check", options?.signal);
    if (this.#stopped.signal.aborted)
      throw new MusterError("STORE_CLOSED", "check: the file store is closed");
    const path = await this.#root.ensure();
    try {
      await listFiles(path);
    } catch (error) {
      throw storeError(error, "read the root", path);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** ms between two rounds: a record survives two that are missed. */
  get #period(): number {
    return this.#settings.ttl / 3;
  }

  #open(name: string): OpenBucket {
    const { ttl, pollInterval } = this.#settings;
    const { clock } = this.#context;
    const shared = {
      root: this.#root,
      clock,
      fsClock: this.#fsClock,
      ttl,
      reporter: this.#reporter,
    };
    const serial = new Serial();
    const kept: KeptRecords = new KeptRecords({
      ...shared,
      bucket: name,
      serial,
      onTouched: (file, mtimeMs) => view.files.touched(file, mtimeMs),
      onRestored: (file) => view.note(file),
    });
    const view: BucketView = new BucketView({
      ...shared,
      bucket: name,
      pollInterval,
      isOwn: (file) => kept.has(file),
      onReplaced: () => void this.#track(this.#attempt(name, () => kept.touch())),
    });
    const stopped = this.#stopped.signal;
    const writer = new RecordWriter({
      ...shared,
      ...{ bucket: name, view, kept, serial, stopped, connectionId: this.connectionId },
    });
    const bucket = new FileBucket({
      ...shared,
      ...{ name, view, writer, kept, stopped },
      track: (work) => this.#track(work),
      onActive: () => this.#schedule(),
    });
    return { bucket, view, kept };
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    try {
      return await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  get #active(): OpenBucket[] {
    return [...this.#buckets.values()].filter(({ view, kept }) => view.watched || kept.size > 0);
  }

  /** Rounds run while there is something to keep alive or to follow. */
  #schedule(): void {
    if (this.#stopped.signal.aborted || this.#cancelRound) return;
    this.#cancelRound = this.#context.clock.schedule(() => this.#round(), this.#period);
  }

  #round(): void {
    this.#cancelRound = undefined;
    for (const { view, kept } of this.#buckets.values())
      if (!view.watched && kept.size === 0) view.forget();
    if (this.#active.length === 0) return;
    this.#schedule();
    void this.#track(this.#touch());
    void this.#track(this.#sweep());
  }

  /** Keep-alive comes before everything that may take long. */
  async #touch(): Promise<void> {
    for (const { kept, bucket } of this.#active)
      await this.#attempt(bucket.name, () => kept.touch());
  }

  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    for (const { view } of this.#active) await view.round();
    await this.#attempt("", async () => {
      const root = await this.#root.find();
      if (root !== undefined) await this.#temps.sweep(root, (await listFiles(root)).temps);
    });
    this.#sweeping = false;
  }

  async #attempt(bucket: string, work: () => Promise<void>): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.#reporter.failed(bucket, storeError(error, "keep the records of", this.#root.path));
    }
  }

  async #close(): Promise<void> {
    this.#stopped.abort();
    this.#unlink?.();
    this.#cancelRound?.();
    for (const { view } of this.#buckets.values()) await view.close();
    await Promise.allSettled(this.#pending);
    for (const { bucket, kept } of this.#buckets.values())
      try {
        await kept.removeAll();
      } catch (error) {
        const problem = storeError(error, "remove own records of", this.#root.path);
        this.#reporter.failed(bucket.name, problem);
      }
    this.#resolveClosed();
  }
}
