import { join } from "node:path";
import { MusterError } from "@muster/core";
import {
  type Bucket,
  type BucketRangeOptions,
  type BucketWatchOptions,
  throwIfAborted,
  type WaitOptions,
  type WatchEvent,
} from "@muster/core/plane";
import { checkKey, checkValue, underPrefix } from "../store-key.ts";
import type { BucketView } from "./bucket-view.ts";
import type { Root } from "./directory.ts";
import { decodeFileName, encodeFileName } from "./file-name.ts";
import { isMissing, storeError } from "./fs-error.ts";
import type { KeptRecords } from "./kept-records.ts";
import { maxNameBytes } from "./limits.ts";
import { listFiles } from "./listing.ts";
import { lookAt } from "./look.ts";
import { inParallel } from "./parallel.ts";
import type { Place, RecordWriter } from "./record-writer.ts";
import type { Reporter } from "./reporter.ts";

/** What a {@link FileBucket} has of its client. */
export interface FileBucketOptions {
  readonly name: string;
  readonly root: Root;
  readonly view: BucketView;
  readonly writer: RecordWriter;
  readonly kept: KeptRecords;
  readonly reporter: Reporter;
  /** Aborts when the client is closed. */
  readonly stopped: AbortSignal;
  /** Runs work that a close has to wait for. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** There is something to keep alive or to follow. */
  readonly onActive: () => void;
}

/** A bucket as one client sees it: a directory with one file for each key. */
export class FileBucket implements Bucket {
  readonly name: string;
  readonly #options: FileBucketOptions;

  constructor(options: FileBucketOptions) {
    this.name = options.name;
    this.#options = options;
  }

  create(key: string, value: string, options?: WaitOptions): Promise<boolean> {
    return this.#use("create", options, async () => {
      checkKey(key);
      checkValue(key, value);
      const name = encodeFileName(key);
      if (name === undefined) throw tooLong(key);
      await this.#options.kept.directory();
      const created = await this.#options.writer.create(name, key, value);
      this.#options.onActive();
      return created;
    });
  }

  get(key: string, options?: WaitOptions): Promise<string | undefined> {
    return this.#use("get", options, async () => {
      const place = await this.#find(key);
      const look = place && (await lookAt(place.path));
      if (place === undefined || look?.type !== "found") return undefined;
      const { files } = this.#options.view;
      return (await files.isOutdated(place.name, look.signature)) ? undefined : look.value;
    });
  }

  compareAndReplace(
    key: string,
    change: { readonly expected: string; readonly value: string },
    options?: WaitOptions,
  ): Promise<boolean> {
    return this.#use("compareAndReplace", options, async () => {
      checkValue(key, change.value);
      const place = await this.#find(key);
      if (place === undefined) return false;
      const replaced = await this.#options.writer.replace(place, key, change);
      if (replaced) this.#options.onActive();
      return replaced;
    });
  }

  delete(key: string, options?: WaitOptions): Promise<boolean> {
    return this.#use("delete", options, async () => {
      const place = await this.#find(key);
      if (place === undefined) return false;
      return await this.#options.writer.remove(place);
    });
  }

  entries(options?: BucketRangeOptions): Promise<ReadonlyMap<string, string>> {
    return this.#use("entries", options, async () => {
      const entries = new Map<string, string>();
      const state = await this.#options.kept.directory();
      if (state) await this.#readAll(state.path, underPrefix(options?.prefix), entries);
      throwIfAborted("entries", options?.signal);
      return entries;
    });
  }

  watch(options: BucketWatchOptions = {}): Promise<AsyncIterableIterator<WatchEvent>> {
    return this.#use("watch", options, async () => {
      const { view, stopped, onActive } = this.#options;
      const queue = await view.watch(options);
      if (stopped.aborted) throw closedError("watch");
      throwIfAborted("watch", options.signal);
      onActive();
      return queue.events;
    });
  }

  async #use<T>(
    what: string,
    options: WaitOptions | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    throwIfAborted(what, options?.signal);
    const { stopped, track, root } = this.#options;
    if (stopped.aborted) throw closedError(what);
    try {
      return await track(work());
    } catch (error) {
      throw storeError(error, `${what} in bucket ${this.name} of`, root.path);
    }
  }

  /** Where a key's file is or would be; undefined when there cannot be one. */
  async #find(key: string): Promise<Place | undefined> {
    const name = encodeFileName(key);
    const state = name === undefined ? undefined : await this.#options.kept.directory();
    if (name === undefined || state === undefined) return undefined;
    return { state, name, path: join(state.path, name) };
  }

  async #readAll(
    directory: string,
    includes: (key: string) => boolean,
    entries: Map<string, string>,
  ): Promise<void> {
    const { view, reporter } = this.#options;
    let outdated = 0;
    let names: ReadonlySet<string> = new Set();
    try {
      ({ names } = await listFiles(directory));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    await inParallel(names, async (name) => {
      const key = decodeFileName(name);
      if (key === undefined || !includes(key)) return;
      const look = await lookAt(join(directory, name));
      if (look.type !== "found" || look.value === undefined) return;
      if (await view.files.isOutdated(name, look.signature)) outdated++;
      else entries.set(key, look.value);
    });
    if (outdated > 0) reporter.outdated(this.name, outdated);
  }
}

function closedError(what: string): MusterError {
  return new MusterError("STORE_CLOSED", `${what}: the file store is closed`);
}

function tooLong(key: string): MusterError {
  const shown = JSON.stringify(key.length > 100 ? `${key.slice(0, 100)}…` : key);
  return new MusterError(
    "STORE_KEY",
    `key ${shown} is too long for the file store: with every byte that is no letter or digit written as %XX, a file's name holds ${maxNameBytes} bytes; use shorter names`,
    { path: "key" },
  );
}
