import { type Clock, type ErrorCode, MusterError, type PluginContext } from "@muster/core";
import { bounded } from "./bounded.ts";
import type { NatsConnection } from "./connection.ts";
import { toStoreError } from "./errors.ts";
import { Fuse, pause } from "./fuse.ts";
import type { KeySpace } from "./keys.ts";
import { readLease, writeLease } from "./lease-value.ts";
import type { BucketStream } from "./stream.ts";

/** A record we hold. */
export interface OwnRecord {
  value: string;
  /** Of its last message, as far as we know. */
  sequence: number;
}

/** Options of {@link Lease}. */
export interface LeaseOptions {
  readonly connection: NatsConnection;
  readonly stream: BucketStream;
  readonly keys: KeySpace;
  readonly context: PluginContext;
  readonly owner: string;
  /** ms. */
  readonly ttl: number;
}

/** Times a write is tried when others write the same key at the same moment. */
const attempts = 10;
/** How long taking our records away at close may take, ms. */
const farewellTimeout = 2000;
/** Records written at once after the lease was lost. */
const width = 16;

/**
 * Our lease, one message that is renewed three times in its lifetime, and the records that live by
 * it. The lease is renewed on the condition that nobody marked it as gone: else our records may have
 * been removed, and are written again, all of them, so that who is still removing them fails.
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #clock: Clock;
  readonly #session = crypto.randomUUID();
  /** By subject. */
  readonly records: Map<string, OwnRecord> = new Map();
  /** Subjects that may hold a record of which the caller was told that writing it failed. */
  readonly doubtful: Set<string> = new Set();
  readonly #ending = new Fuse();
  readonly #lostCounter: { add(value: number): void };
  #sequence: number | undefined;
  #holding: Promise<void> | undefined;
  #beats: Promise<void> | undefined;
  #lastBeat = 0;
  /** Codes of the reasons for this outage that were told. */
  readonly #told = new Set<ErrorCode>();
  #lastRenewal = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#clock = options.context.clock;
    this.#lostCounter = options.context.metrics.counter({
      name: "muster_store_nats_lease_losses_total",
      help: "Times the store had let our lease end, so that all we registered was written again.",
    });
  }

  /** Resolves when there is a lease; records may be written only then. */
  async hold(): Promise<void> {
    if (this.#sequence !== undefined) return;
    const joined = this.#holding !== undefined;
    this.#holding ??= this.#take().finally(() => {
      this.#holding = undefined;
    });
    try {
      await this.#holding;
    } catch (error) {
      if (!joined) throw error;
      // what somebody else began may fail for reasons that are gone
      return await this.hold();
    }
    this.#beats ??= this.#keep();
  }

  /** Takes our records away, and the lease; never throws: what is left vanishes when its time is over. */
  async release(): Promise<void> {
    this.#ending.blow(new MusterError("STORE_CLOSED", "the NATS store was closed"));
    const bound = { what: "close", clock: this.#clock, timeout: farewellTimeout };
    try {
      await bounded(this.#leave(), bound);
    } catch (error) {
      const fields = { owner: this.#options.owner, error: String(error) };
      const text = "could not take our records away at close; they vanish when their time is over";
      this.#options.context.logger.warn(fields, text);
    }
  }

  async #leave(): Promise<void> {
    // a renewal may be on its way
    await this.#beats;
    const lease = this.#sequence;
    if (lease === undefined) return;
    const { owner, keys } = this.#options;
    const mark = { value: "", mark: "deleted" as const };
    await inGroups([...this.records], async ([subject, { sequence }]) => {
      await this.#publish({ ...mark, subject, expected: sequence });
    });
    await this.#publish({ ...mark, subject: keys.lease(owner), expected: lease });
  }

  async #keep(): Promise<void> {
    const { connection, ttl } = this.#options;
    for (let failures = 0; !this.#ending.reason; ) {
      const wait = failures === 0 ? ttl / 3 : Math.min(ttl / 3, 100 * 2 ** failures);
      await pause(
        this.#clock,
        wait * (0.9 + Math.random() / 10),
        (wake) => this.#ending.listen(wake),
        // connected again: the sooner we are heard of, the better
        (wake) => connection.onSession(wake),
      );
      if (this.#ending.reason) return;
      try {
        await this.#beat();
        failures = 0;
      } catch (error) {
        failures = Math.min(failures + 1, 10);
        this.#tell(toStoreError(error, "renewing our lease"));
      }
    }
  }

  /** One that fails is made up for; once it lasts too long we count as dead: told once for each reason. */
  #tell({ code, message }: MusterError): void {
    const { ttl, owner, context } = this.#options;
    const isOver = this.#clock.monotonic() - this.#lastBeat > ttl;
    if (!isOver || this.#told.has(code)) {
      context.logger.debug({ owner, code }, message);
      return;
    }
    this.#told.add(code);
    context.logger.warn({ owner, code }, `our lease could not be renewed in time: ${message}`);
  }

  async #beat(): Promise<void> {
    const sequence = await this.#publishLease(this.#sequence ?? 0);
    if (sequence === undefined) return await this.#recover();
    this.#beaten(sequence);
    await this.#withdraw();
    const { stream } = this.#options;
    if (this.#clock.monotonic() - this.#lastRenewal < stream.renewal) return;
    await this.#renewAll();
  }

  #beaten(sequence: number): void {
    const now = this.#clock.monotonic();
    const { ttl, context, owner } = this.#options;
    if (this.#lastBeat > 0 && now - this.#lastBeat > ttl) {
      const fields = { owner, away: Math.round(now - this.#lastBeat), ttl };
      context.logger.warn(fields, "was away longer than our lease lasts; it is renewed");
    }
    this.#sequence = sequence;
    this.#lastBeat = now;
    this.#told.clear();
  }

  /** The lease is not what we wrote last. */
  async #recover(): Promise<void> {
    const { stream, keys, owner, context } = this.#options;
    const last = await stream.last(keys.lease(owner), { what: "reading our lease" });
    if (last?.state === "present" && readLease(last.value)?.session === this.#session) {
      // a renewal whose answer was lost: nobody found us dead
      const sequence = await this.#publishLease(last.sequence);
      if (sequence !== undefined) return this.#beaten(sequence);
    }
    await this.#take();
    this.#lostCounter.add(1);
    const fields = { owner, records: this.records.size };
    context.logger.warn(
      fields,
      "the store had let our lease end; all we registered is written again",
    );
    await this.#renewAll();
  }

  async #take(): Promise<void> {
    const { stream, keys, owner } = this.#options;
    let expected = 0;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const sequence = await this.#publishLease(expected);
      if (sequence !== undefined) {
        this.#beaten(sequence);
        this.#lastRenewal ||= this.#clock.monotonic();
        return;
      }
      const last = await stream.last(keys.lease(owner), { what: "reading our lease" });
      expected = last?.sequence ?? 0;
    }
    throw new Error(`somebody else keeps writing the lease of ${owner}`);
  }

  async #renewAll(): Promise<void> {
    this.#lastRenewal = this.#clock.monotonic();
    try {
      await inGroups([...this.records.keys()], (subject) => this.renew(subject));
    } catch (error) {
      // all of it again with the next beat
      this.#lastRenewal = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  /** Writes a record again, unless it was deleted or replaced on purpose. */
  async renew(subject: string): Promise<void> {
    const { stream, owner } = this.#options;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const record = this.records.get(subject);
      if (record === undefined) return;
      const { value, sequence: expected } = record;
      const sequence = await this.#publish({ subject, value, expected, owner });
      if (sequence !== undefined) {
        record.sequence = sequence;
        return;
      }
      const last = await stream.last(subject, { what: "renewing a record" });
      if (this.records.get(subject) !== record) continue;
      if (last?.state === "present" && last.owner === owner) record.value = last.value;
      else if (last !== undefined && last.state !== "expired") this.records.delete(subject);
      record.sequence = last?.sequence ?? 0;
    }
  }

  /** Takes away what was written although we had to say that it was not. */
  async #withdraw(): Promise<void> {
    const { stream, owner } = this.#options;
    for (const subject of [...this.doubtful]) {
      const last = await stream.last(subject, { what: "looking for a record" });
      if (last?.state === "present" && last.owner === owner && !this.records.has(subject))
        await this.#publish({ subject, value: "", expected: last.sequence, mark: "deleted" });
      this.doubtful.delete(subject);
    }
  }

  #publishLease(expected: number): Promise<number | undefined> {
    const { keys, owner, ttl } = this.#options;
    const value = writeLease({ ttl, session: this.#session });
    return this.#publish({ subject: keys.lease(owner), value, expected });
  }

  #publish(publication: Parameters<BucketStream["publish"]>[0]): Promise<number | undefined> {
    return this.#options.stream.publish(publication, { what: "renewing what we registered" });
  }
}

/** Does work for all, some at a time. */
async function inGroups<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += width)
    await Promise.all(all.slice(start, start + width).map(work));
}
