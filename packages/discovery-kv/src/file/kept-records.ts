import { lutimes } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@muster/core";
import type { Serial } from "../serial.ts";
import type { DirectoryState, Root } from "./directory.ts";
import type { FsClock } from "./fs-clock.ts";
import { isMissing, storeError } from "./fs-error.ts";
import { lookAt, type Signature, signatureOf } from "./look.ts";
import { inParallel } from "./parallel.ts";
import type { Reporter } from "./reporter.ts";
import { publishNew, removeFile, writeTemp } from "./temp-file.ts";

/** A record of this client. */
export interface KeptRecord {
  readonly key: string;
  readonly value: string;
  readonly ino: number;
  /** Its modification time as we set it last, ms. */
  mtimeMs: number;
  /** Monotonic time of that, ms. */
  touchedAt: number;
  /**
   * Rounds in which it is put again should it be gone: a touch came so late that others may have taken
   * us for dead, and a removal that began before it may end after it.
   */
  grace: number;
}

/** What {@link KeptRecords} needs. */
export interface KeptRecordsOptions {
  readonly bucket: string;
  readonly root: Root;
  readonly clock: Clock;
  readonly fsClock: FsClock;
  /** ms. */
  readonly ttl: number;
  readonly reporter: Reporter;
  /** Runs changes of one file one after the other. */
  readonly serial: Serial;
  readonly onTouched: (name: string, mtimeMs: number) => void;
  readonly onRestored: (name: string) => void;
}

/** Part of the TTL from which on others may take us for dead. */
const lateAfter = 0.75;
const graceRounds = 2;

/** The records of this client in one bucket, by file name. */
export class KeptRecords {
  readonly #options: KeptRecordsOptions;
  readonly #records = new Map<string, KeptRecord>();
  #home: string | undefined;
  #touching: Promise<void> | undefined;

  constructor(options: KeptRecordsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#records.size;
  }

  has(name: string): boolean {
    return this.#records.has(name);
  }

  /** Keeps a record alive from now on. `home` is the identity of its directory. */
  keep(name: string, record: { key: string; value: string } & Signature, home: string): void {
    const { key, value, ino, mtimeMs } = record;
    const touchedAt = this.#options.clock.monotonic();
    this.#records.set(name, { key, value, ino, mtimeMs, touchedAt, grace: 0 });
    this.#home ??= home;
  }

  forget(name: string): void {
    this.#records.delete(name);
  }

  /**
   * Touches every record. One that is not there any more is put again when its directory vanished
   * with it, or when we were late: then it was taken for a dead process's. Otherwise somebody removed
   * it on purpose, and it stays away.
   */
  touch(): Promise<void> {
    this.#touching ??= this.#touchAll().finally(() => {
      this.#touching = undefined;
    });
    return this.#touching;
  }

  /**
   * The bucket's directory; undefined when it is not there. When it is another one than it was, own
   * records are put again first, so that no call of ours misses them.
   */
  async directory(): Promise<DirectoryState | undefined> {
    const { bucket, root } = this.#options;
    const state = await root.bucket(bucket);
    if (this.size === 0 || state?.identity === this.#home) return state;
    await this.touch();
    return await root.bucket(bucket);
  }

  /** Removes every record that is still as we wrote it. */
  async removeAll(): Promise<void> {
    const { bucket, root } = this.#options;
    const state = this.size === 0 ? undefined : await root.bucket(bucket);
    if (state)
      await inParallel([...this.#records], async ([name, { ino, value }]) => {
        const path = join(state.path, name);
        const look = await lookAt(path);
        if (look.type === "found" && look.signature.ino === ino && look.value === value)
          await removeFile(path);
      });
    this.#records.clear();
  }

  async #touchAll(): Promise<void> {
    const { bucket, root, clock, fsClock } = this.#options;
    if (this.size === 0) return;
    const at = clock.monotonic();
    const time = (await fsClock.probe()) ?? clock.now();
    const state = (await root.bucket(bucket)) ?? (await root.ensureBucket(bucket));
    const replaced = state.identity !== this.#home;
    const vanished: [name: string, record: KeptRecord][] = [];
    await inParallel([...this.#records], async ([name, record]) => {
      if (!(await this.#touch(join(state.path, name), name, { record, time, at })))
        vanished.push([name, record]);
    });
    await this.#judge(vanished, replaced);
    this.#home = state.identity;
  }

  /** False when it is gone. */
  async #touch(
    path: string,
    name: string,
    { record, time, at }: { record: KeptRecord; time: number; at: number },
  ): Promise<boolean> {
    // the same time again would look like no touch at all; and it may be from before the last write
    const behind = record.mtimeMs - time;
    const mtimeMs = behind > -1 && behind < 1000 ? record.mtimeMs + 1 : time;
    record.grace = this.#isLate(record, time, at) ? graceRounds : Math.max(0, record.grace - 1);
    try {
      // what an attacker links to is not touched
      await lutimes(path, mtimeMs / 1000, mtimeMs / 1000);
    } catch (error) {
      if (isMissing(error)) return false;
      const { reporter, bucket } = this.#options;
      reporter.failed(bucket, storeError(error, "keep alive the record", path));
      return true;
    }
    record.mtimeMs = mtimeMs;
    record.touchedAt = at;
    this.#options.onTouched(name, mtimeMs);
    return true;
  }

  /** By our clock, which stands still in a suspended machine, or by the file system's, which jumps. */
  #isLate({ touchedAt, mtimeMs }: KeptRecord, time: number, at: number): boolean {
    const limit = this.#options.ttl * lateAfter;
    return at - touchedAt > limit || time - mtimeMs > limit;
  }

  async #judge(
    vanished: readonly (readonly [name: string, record: KeptRecord])[],
    replaced: boolean,
  ): Promise<void> {
    const { bucket, reporter, serial } = this.#options;
    const restored: string[] = [];
    for (const [name, record] of vanished)
      await serial.run(name, async () => {
        // removed or written by us meanwhile
        if (this.#records.get(name) !== record) return;
        const why =
          replaced || record.grace > 0 ? await this.#restore(name, record) : "it is unregistered";
        if (why === undefined) restored.push(record.key);
        else {
          this.#records.delete(name);
          reporter.withdrawn(bucket, record.key, why);
        }
      });
    const reason = replaced ? "with their directory" : "while this process was stopped";
    if (restored.length > 0) reporter.restored(bucket, restored, reason);
  }

  /** Undefined when the record is there again, else why not. */
  async #restore(name: string, record: KeptRecord): Promise<string | undefined> {
    const { bucket, root, onRestored } = this.#options;
    const state = await root.ensureBucket(bucket);
    const temp = await writeTemp(state.path, record.value);
    try {
      const status = await publishNew(temp, join(state.path, name));
      if (status === undefined) return "another record has its key now";
      this.keep(
        name,
        { key: record.key, value: record.value, ...signatureOf(status) },
        state.identity,
      );
      onRestored(name);
      return undefined;
    } finally {
      await removeFile(temp.path);
    }
  }
}
