import type { Clock } from "@muster/core";
import { checkRoom } from "../record-limit.ts";
import { untilLost } from "./bounded.ts";
import { ownerOf } from "./census.ts";
import type { NatsConnection, RunOptions, Session } from "./connection.ts";
import { isStreamMissing } from "./errors.ts";
import { type Feed, openFeed } from "./feed.ts";
import { type KeySpace, keyOfSubject } from "./keys.ts";
import { readLease } from "./lease-value.ts";
import type { Message } from "./message.ts";
import type { BucketStream } from "./stream.ts";

/** Options of {@link Survey}. */
export interface SurveyOptions {
  readonly connection: NatsConnection;
  readonly stream: BucketStream;
  readonly keys: KeySpace;
  readonly clock: Clock;
  readonly owner: string;
  /** Lifetime of owners that have not said theirs, ms. */
  readonly ttl: number;
  /** ms. */
  readonly heartbeat: number;
}

/** Reads once what is there, for those who do not watch. Ages are by the server's clock alone. */
export class Survey {
  readonly #options: SurveyOptions;

  constructor(options: SurveyOptions) {
    this.#options = options;
  }

  /** What a bucket holds, captured at one moment, without what the dead left. */
  async entries(
    bucket: string,
    takes: (key: string) => boolean,
    run: RunOptions,
  ): Promise<Map<string, string>> {
    const { keys, owner: self } = this.#options;
    const records = await this.#read(keys.bucket(bucket), run);
    const owners = new Set(records.map(({ message }) => message.owner ?? self));
    owners.delete(self);
    // after the records: who wrote one of them had a lease by then
    const alive = owners.size === 0 ? owners : await this.#alive(keys.leases, run);
    const entries = new Map<string, string>();
    for (const { message } of records) {
      const key = keyOfSubject(message.subject);
      if (key === undefined || message.state !== "present" || !takes(key)) continue;
      const { owner = self } = message;
      if (owner === self || alive.has(owner)) entries.set(key, message.value);
    }
    return entries;
  }

  /** Whether an owner renewed its lease in time. */
  async alive(owner: string, run: RunOptions): Promise<boolean> {
    return (await this.#alive(this.#options.keys.lease(owner), run)).has(owner);
  }

  async #alive(filter: string, run: RunOptions): Promise<Set<string>> {
    const leases = await this.#read(filter, run);
    return new Set(
      leases.flatMap(({ message, age }) => {
        const ttl = readLease(message.value)?.ttl ?? this.#options.ttl;
        return message.state === "present" && age < ttl ? [ownerOf(message)] : [];
      }),
    );
  }

  #read(filter: string, run: RunOptions): Promise<{ message: Message; age: number }[]> {
    const { connection, stream, clock, heartbeat } = this.#options;
    return connection.run({ ...run, repeatable: true }, async (session: Session) => {
      const found: { message: Message; age: number }[] = [];
      let feed: Feed;
      try {
        feed = await openFeed(session, {
          ...{ stream: stream.name, filter, clock, heartbeat },
          onMessage(message, age = 0) {
            checkRoom(found.length, `under ${filter}`);
            found.push({ message, age });
          },
        });
      } catch (error) {
        if (isStreamMissing(error)) return [];
        throw error;
      }
      try {
        await untilLost(feed.synced, session.lost);
      } finally {
        void feed.stop();
      }
      return found;
    });
  }
}
