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
import type { RunOptions } from "./connection.ts";
import type { KeySpace } from "./keys.ts";
import type { Lease } from "./lease.ts";
import type { Message } from "./message.ts";
import type { BucketStream, Publication } from "./stream.ts";
import type { Survey } from "./survey.ts";

/** What a bucket works with, one of each per store. */
export interface BucketTools {
  readonly stream: BucketStream;
  readonly keys: KeySpace;
  readonly lease: Lease;
  readonly survey: Survey;
  readonly owner: string;
  /** Throws STORE_CLOSED once the store is being closed. */
  open(): void;
  watch(bucket: string, options: BucketWatchOptions): Promise<AsyncIterableIterator<WatchEvent>>;
}

/** Times a write is tried when others write the same key at the same moment. */
const attempts = 64;

/** One bucket; every write is conditional on what was there. */
export class NatsBucket implements Bucket {
  readonly name: string;
  readonly #tools: BucketTools;

  constructor(name: string, tools: BucketTools) {
    this.name = name;
    this.#tools = tools;
  }

  async create(key: string, value: string, options: WaitOptions = {}): Promise<boolean> {
    const run = this.#begin("create", key, options);
    checkValue(key, value);
    const { lease, owner } = this.#tools;
    await this.#hold(run);
    const subject = this.#subject(key);
    // nobody has it, as far as we know: most often that is true, and costs one request
    let expected = lease.records.has(subject) ? undefined : 0;
    return await this.#attempt(run, async () => {
      if (expected !== undefined && (await this.#write({ subject, value, expected, owner }, run)))
        return true;
      const last = await this.#last(subject, run);
      expected = last?.sequence ?? 0;
      if (last === undefined || (last.owner === owner && lease.doubtful.has(subject)))
        return undefined;
      return (await this.#present(last, run)) ? false : undefined;
    });
  }

  async get(key: string, options: WaitOptions = {}): Promise<string | undefined> {
    const run = this.#begin("get", key, options);
    const last = await this.#last(this.#subject(key), run);
    return last && (await this.#present(last, run)) ? last.value : undefined;
  }

  async compareAndReplace(
    key: string,
    change: { readonly expected: string; readonly value: string },
    options: WaitOptions = {},
  ): Promise<boolean> {
    const run = this.#begin("compareAndReplace", key, options);
    checkValue(key, change.value);
    const { owner } = this.#tools;
    const subject = this.#subject(key);
    return await this.#attempt(run, async () => {
      const last = await this.#last(subject, run);
      if (last?.value !== change.expected || !(await this.#present(last, run))) return false;
      await this.#hold(run);
      const { value } = change;
      const publication = { subject, value, expected: last.sequence, owner };
      return (await this.#write(publication, run)) ? true : undefined;
    });
  }

  async delete(key: string, options: WaitOptions = {}): Promise<boolean> {
    const run = this.#begin("delete", key, options);
    const { stream, lease } = this.#tools;
    const subject = this.#subject(key);
    return await this.#attempt(run, async () => {
      const last = await this.#last(subject, run);
      if (!last || !(await this.#present(last, run))) return false;
      const mark = { subject, value: "", expected: last.sequence, mark: "deleted" as const };
      if ((await stream.publish(mark, run)) === undefined) return undefined;
      lease.records.delete(subject);
      return true;
    });
  }

  async entries(options: BucketRangeOptions = {}): Promise<ReadonlyMap<string, string>> {
    const run = this.#begin("entries", undefined, options);
    return await this.#tools.survey.entries(this.name, underPrefix(options.prefix), run);
  }

  async watch(options: BucketWatchOptions = {}): Promise<AsyncIterableIterator<WatchEvent>> {
    this.#begin("watch", undefined, options);
    return await this.#tools.watch(this.name, options);
  }

  #begin(operation: string, key: string | undefined, { signal }: WaitOptions): RunOptions {
    const what = `${operation} in ${this.name}`;
    throwIfAborted(what, signal);
    this.#tools.open();
    if (key !== undefined) checkKey(key);
    return { what, signal };
  }

  #subject(key: string): string {
    return this.#tools.keys.key(this.name, key);
  }

  /** The lease is everybody's: its writing goes on although this caller gives up. */
  async #hold(run: RunOptions): Promise<void> {
    await this.#tools.lease.hold();
    throwIfAborted(run.what, run.signal);
  }

  /** A key's last message, once what we hold is there again should the store have lost it. */
  async #last(subject: string, run: RunOptions): Promise<Message | undefined> {
    const { stream, lease } = this.#tools;
    const last = await stream.last(subject, run);
    const lost = last === undefined || last.state === "expired";
    if (!lost || !lease.records.has(subject)) return last;
    await lease.renew(subject);
    return await stream.last(subject, run);
  }

  /** A record whose owner lives, and no mark. */
  async #present(last: Message, run: RunOptions): Promise<boolean> {
    const { survey, owner } = this.#tools;
    if (last.state !== "present") return false;
    if (last.owner === undefined || last.owner === owner) return true;
    return await survey.alive(last.owner, run);
  }

  /** Writes a record of ours; false when the condition does not hold. */
  async #write(publication: Publication, run: RunOptions): Promise<boolean> {
    const { stream, lease } = this.#tools;
    const { subject, value } = publication;
    let sequence: number | undefined;
    try {
      sequence = await stream.publish(publication, run);
    } catch (error) {
      // it may have been stored all the same
      if (!lease.records.has(subject)) lease.doubtful.add(subject);
      throw error;
    }
    if (sequence === undefined) return false;
    lease.doubtful.delete(subject);
    lease.records.set(subject, { value, sequence });
    return true;
  }

  async #attempt({ what }: RunOptions, once: () => Promise<boolean | undefined>): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const done = await once();
      if (done !== undefined) return done;
    }
    throw new MusterError("STORE_TIMEOUT", `${what}: others changed the key ${attempts} times`);
  }
}
