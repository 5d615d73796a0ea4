import { rename } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, MusterError } from "@muster/core";
import type {
  Bucket,
  BucketRangeOptions,
  BucketWatchOptions,
  WaitOptions,
  WatchEvent,
} from "@muster/core/plane";
import { abortedError, throwIfAborted } from "../aborted.ts";
import { checkKey, checkValue, underPrefix } from "../store-key.ts";
import type { BucketView } from "./bucket-view.ts";
import type { DirectoryState, Root } from "./directory.ts";
import { decodeFileName, encodeFileName } from "./file-name.ts";
import { isMissing, storeError } from "./fs-error.ts";
import type { KeptRecords } from "./kept-records.ts";
import { withKeyLock } from "./key-lock.ts";
import { maxNameBytes } from "./limits.ts";
import { listFiles } from "./listing.ts";
import { glanceAt, lookAt } from "./look.ts";
import { inParallel } from "./parallel.ts";
import type { Reporter } from "./reporter.ts";
import { publishNew, removeFile, writeTemp } from "./temp-file.ts";

/** What a {@link FileBucket} has of its client. */
export interface FileBucketOptions {
  readonly name: string;
  readonly root: Root;
  readonly view: BucketView;
  readonly kept: KeptRecords;
  readonly clock: Clock;
  /** ms. */
  readonly ttl: number;
  readonly connectionId: bigint;
  readonly reporter: Reporter;
  /** Aborts when the client is closed. */
  readonly stopped: AbortSignal;
  readonly serially: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Runs work that a close has to wait for. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  /** There is something to keep alive or to follow. */
  readonly onActive: () => void;
}

interface Place {
  readonly state: DirectoryState;
  /** Of the file. */
  readonly name: string;
  readonly path: string;
}

/** How often a directory may be removed while a record is written to it. */
const maxTries = 3;

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
      const { serially, onActive } = this.#options;
      const created = await serially(name, () => this.#create(name, key, value));
      onActive();
      return created;
    });
  }

  get(key: string, options?: WaitOptions): Promise<string | undefined> {
    return this.#use("get", options, async () => {
      const place = await this.#find(key);
      return place && (await this.#read(place));
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
      const replaced = await this.#locked(place, () => this.#replace(place, key, change));
      if (replaced === true) this.#options.onActive();
      return replaced === true;
    });
  }

  delete(key: string, options?: WaitOptions): Promise<boolean> {
    return this.#use("delete", options, async () => {
      const place = await this.#find(key);
      if (place === undefined) return false;
      const { kept, view } = this.#options;
      const removed = await this.#locked(place, async () => {
        const outdated = (await this.#read(place)) === undefined;
        const was = await removeFile(place.path);
        kept.forget(place.name);
        return was && !outdated;
      });
      view.note(place.name);
      return removed === true;
    });
  }

  entries(options?: BucketRangeOptions): Promise<ReadonlyMap<string, string>> {
    return this.#use("entries", options, async () => {
      const entries = new Map<string, string>();
      const state = await this.#options.root.bucket(this.name);
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
      if (options.signal?.aborted) throw abortedError("watch", options.signal);
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
    const state = name === undefined ? undefined : await this.#options.root.bucket(this.name);
    if (name === undefined || state === undefined) return undefined;
    return { state, name, path: join(state.path, name) };
  }

  async #read({ name, path }: Place): Promise<string | undefined> {
    const look = await lookAt(path);
    if (look.type !== "found") return undefined;
    const outdated = await this.#options.view.files.isOutdated(name, look.signature);
    return outdated ? undefined : look.value;
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

  async #create(name: string, key: string, value: string): Promise<boolean> {
    const { root } = this.#options;
    for (let tries = maxTries; ; tries--) {
      const state = (await root.bucket(this.name)) ?? (await root.ensureBucket(this.name));
      try {
        return await this.#write({ state, name, path: join(state.path, name) }, key, value);
      } catch (error) {
        if (!isMissing(error) || tries <= 1) throw error;
      }
    }
  }

  async #write(place: Place, key: string, value: string): Promise<boolean> {
    const { kept, view } = this.#options;
    const { state, name, path } = place;
    const temp = await writeTemp(state.path, value);
    try {
      const status =
        (await publishNew(temp, path)) ??
        ((await this.#clear(place)) ? await publishNew(temp, path) : undefined);
      if (status === undefined) {
        await this.#adopt(place, key);
        return false;
      }
      kept.keep(name, { key, value, ...pick(status) }, state.identity);
      view.note(name);
      return true;
    } finally {
      await removeFile(temp.path);
    }
  }

  /** Removes what a dead process left under a key; false when it is alive. */
  async #clear(place: Place): Promise<boolean> {
    const { view } = this.#options;
    const look = await glanceAt(place.path);
    if (look.type === "gone") return true;
    if (look.type !== "found" || !(await view.files.isOutdated(place.name, look.signature)))
      return false;
    return await withKeyLock(this.#lock(place), async () => {
      const same = (await glanceAt(place.path, look.signature)).type === "same";
      return same && (await removeFile(place.path));
    });
  }

  /**
   * A record that carries our id and is there already is our own from a former life, with the same
   * connection id. Nobody else keeps it alive.
   */
  async #adopt({ state, name, path }: Place, key: string): Promise<void> {
    const { kept, connectionId } = this.#options;
    if (kept.has(name) || !key.split("/").includes(connectionId.toString(16))) return;
    const look = await lookAt(path);
    if (look.type === "found" && look.value !== undefined)
      kept.keep(name, { key, value: look.value, ...look.signature }, state.identity);
  }

  async #replace(
    place: Place,
    key: string,
    { expected, value }: { readonly expected: string; readonly value: string },
  ): Promise<boolean> {
    const { kept, view } = this.#options;
    const { state, name, path } = place;
    const temp = await writeTemp(state.path, value);
    try {
      for (;;) {
        const look = await lookAt(path);
        if (look.type !== "found" || look.value !== expected) return false;
        if (await view.files.isOutdated(name, look.signature)) return false;
        // touched meanwhile, or written by someone who knows no lock; the time of one call is left
        if ((await glanceAt(path, look.signature)).type === "same") break;
      }
      await rename(temp.path, path);
    } finally {
      await removeFile(temp.path);
    }
    kept.keep(name, { key, value, ...pick(temp.status) }, state.identity);
    view.note(name);
    return true;
  }

  /** Undefined when the directory is not there any more. */
  async #locked<T>(place: Place, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#options.serially(place.name, () => withKeyLock(this.#lock(place), work));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #lock({ state, name }: Place): Parameters<typeof withKeyLock>[0] {
    const { clock, ttl, stopped: signal } = this.#options;
    return { directory: state.path, name, clock, ttl, signal };
  }
}

function pick(status: { ino: number; size: number; mtimeMs: number }) {
  return { ino: status.ino, size: status.size, mtimeMs: status.mtimeMs };
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
