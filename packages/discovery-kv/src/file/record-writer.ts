import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@muster/core";
import { formatHexId } from "@muster/core/plane";
import type { Serial } from "../serial.ts";
import type { BucketView } from "./bucket-view.ts";
import type { DirectoryState, Root } from "./directory.ts";
import { isMissing } from "./fs-error.ts";
import type { KeptRecords } from "./kept-records.ts";
import { type KeyLockOptions, withKeyLock } from "./key-lock.ts";
import { glanceAt, lookAt, replacingMode, signatureOf } from "./look.ts";
import { publishNew, removeFile, writeTemp } from "./temp-file.ts";

/** What a {@link RecordWriter} needs. */
export interface RecordWriterOptions {
  readonly bucket: string;
  readonly root: Root;
  readonly view: BucketView;
  readonly kept: KeptRecords;
  readonly clock: Clock;
  /** ms. */
  readonly ttl: number;
  readonly connectionId: bigint;
  /** Aborts when the client is closed. */
  readonly stopped: AbortSignal;
  /** Runs changes of one file one after the other. */
  readonly serial: Serial;
}

/** Where a key's file is, or would be. */
export interface Place {
  readonly state: DirectoryState;
  /** Of the file. */
  readonly name: string;
  readonly path: string;
}

/** How often a directory may be removed while a record is written to it. */
const maxTries = 3;

/** Writes and removes the records of one bucket. */
export class RecordWriter {
  readonly #options: RecordWriterOptions;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes a record unless its key is taken.
   *
   * @returns whether it was written
   */
  create(name: string, key: string, value: string): Promise<boolean> {
    return this.#options.serial.run(name, () => this.#create(name, key, value));
  }

  /**
   * Replaces a value that is what it was; whoever replaces it keeps it alive from then on. Safe against
   * other processes of ours; a foreign writer would have to come between two calls.
   */
  async replace(
    place: Place,
    key: string,
    change: { readonly expected: string; readonly value: string },
  ): Promise<boolean> {
    return (await this.#locked(place, () => this.#replace(place, key, change))) === true;
  }

  /** Removes a record; false when there is none, or only a dead process's. */
  async remove(place: Place): Promise<boolean> {
    const { kept, view } = this.#options;
    const { name, path } = place;
    const removed = await this.#locked(place, async () => {
      const look = await glanceAt(path);
      const alive = look.type === "found" && !(await view.files.isOutdated(name, look.signature));
      const was = await removeFile(path);
      kept.forget(name);
      return was && alive;
    });
    view.note(name);
    return removed === true;
  }

  async #create(name: string, key: string, value: string): Promise<boolean> {
    const { root, bucket } = this.#options;
    for (let tries = maxTries; ; tries--) {
      const state = (await root.bucket(bucket)) ?? (await root.ensureBucket(bucket));
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
      kept.keep(name, { key, value, ...signatureOf(status) }, state.identity);
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
    if (kept.has(name) || !key.split("/").includes(formatHexId(connectionId))) return;
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
    const temp = await writeTemp(state.path, value, replacingMode);
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
    kept.keep(name, { key, value, ...signatureOf(temp.status) }, state.identity);
    view.note(name);
    return true;
  }

  /** Undefined when the directory is not there any more. */
  async #locked<T>(place: Place, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#options.serial.run(place.name, () => withKeyLock(this.#lock(place), work));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #lock({ state, name }: Place): KeyLockOptions {
    const { clock, ttl, stopped: signal } = this.#options;
    return { directory: state.path, name, clock, ttl, signal };
  }
}
