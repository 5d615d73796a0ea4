import { type Clock, MusterError } from "@muster/core";
import type { StoredMsg, StreamConfig, StreamInfo } from "@nats-io/jetstream";
import type { NatsStoreSettings } from "./config.ts";
import type { NatsConnection, RunOptions, Session } from "./connection.ts";
import {
  isStreamMissing,
  isStreamTaken,
  isUnanswered,
  jetStreamCode,
  wrongSequence,
} from "./errors.ts";
import { pause } from "./fuse.ts";
import { type Message, messageHeaders, readMessage } from "./message.ts";

/**
 * How long anything stays in the bucket when nobody renews it, ms: what the dead leave behind, and
 * marks of deletions, go then even if no client is left. Ours are renewed three times as often.
 */
const longestStay = 600_000;

/** A message to store. */
export interface Publication {
  readonly subject: string;
  readonly value: string;
  /** Store only if this is the sequence of the subject's last message; 0: if there is none. */
  readonly expected: number;
  /** Whose record it is. */
  readonly owner?: string | undefined;
  /** A mark that the key is gone: deleted, or because its owner died. */
  readonly mark?: "deleted" | "expired" | undefined;
}

/** How long the server knows what it has stored when it is sent again, ns; longer than any request. */
const duplicateWindow = 60e9;

/** How long a deletion is given to be over, ms: when we know that there was one, and in case. */
const settleLong = 500;
const settleShort = 100;

/** What we wait before we try again to write to a stream that is there but does not listen, ms. */
const unheardPauses = [10, 50, 250, 500];

/**
 * The JetStream stream that the bucket is: `KV_<namespace>`, one message per key, laid out so that any
 * client of NATS KV can read it. It is made by whoever needs it first, again when it was lost.
 */
export class BucketStream {
  readonly name: string;
  readonly #config: Partial<StreamConfig> & { name: string };
  readonly #connection: NatsConnection;
  readonly #clock: Clock;
  #stay = longestStay;
  /** It was there once: if it is not now, it was deleted. */
  #seen = false;

  constructor(connection: NatsConnection, settings: NatsStoreSettings, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.name = `KV_${settings.namespace}`;
    const { storage, replicas, namespace } = settings;
    this.#config = {
      name: this.name,
      description: "muster",
      subjects: [`$KV.${namespace}.>`],
      max_msgs_per_subject: 1,
      max_age: Math.max(longestStay, 20 * settings.ttl) * 1e6,
      allow_rollup_hdrs: true,
      deny_delete: true,
      allow_direct: true,
      discard: "new" as StreamConfig["discard"],
      storage: storage as StreamConfig["storage"],
      num_replicas: replicas,
      duplicate_window: duplicateWindow,
    };
  }

  /** How often to renew what is to stay, ms. */
  get renewal(): number {
    return this.#stay / 3;
  }

  /**
   * Stores a message if its condition holds.
   *
   * @returns its sequence; undefined when the condition does not hold
   */
  publish(publication: Publication, options: RunOptions): Promise<number | undefined> {
    const id = crypto.randomUUID();
    // sent again it is known by its id, and not stored twice
    return this.#connection.run({ ...options, repeatable: true }, async (session) => {
      this.#checkSize(session, publication);
      try {
        return await this.#publish(session, publication, id);
      } catch (error) {
        if (!isUnanswered(error)) throw error;
        await this.ensure(session);
        return await this.#publishWhenHeard(session, publication, id);
      }
    });
  }

  /** The last message of a subject, marks too. */
  last(subject: string, options: RunOptions): Promise<Message | undefined> {
    return this.#connection.run({ ...options, repeatable: true }, async ({ streams }) => {
      try {
        const query = { last_by_subj: subject };
        // no direct get: it may be answered by a replica that has not heard of our own write
        const stored: StoredMsg | null = await streams.streams.getMessage(this.name, query);
        return stored === null ? undefined : readMessage(stored);
      } catch (error) {
        if (isStreamMissing(error)) return undefined;
        throw error;
      }
    });
  }

  /** Makes the stream when it is not there; takes one that is there as it is. */
  async ensure(session: Session): Promise<void> {
    const info = (await this.#info(session)) ?? (await this.#make(session));
    this.#seen = true;
    const age = info.config.max_age / 1e6;
    this.#stay = age > 0 ? age : longestStay;
  }

  async #info({ streams }: Session): Promise<StreamInfo | undefined> {
    try {
      return await streams.streams.info(this.name);
    } catch (error) {
      if (isStreamMissing(error)) return undefined;
      throw error;
    }
  }

  /**
   * A server (2.9.10, tried) that was just told to delete a stream may take the files of one that is
   * made anew at the same moment with it, and then loses what it is told: a pause comes first.
   */
  async #make(session: Session): Promise<StreamInfo> {
    await pause(this.#clock, this.#seen ? settleLong : settleShort);
    const made = await this.#info(session);
    if (made !== undefined) return made;
    try {
      return await session.streams.streams.add(this.#config);
    } catch (error) {
      if (!isStreamTaken(error)) throw error;
      return await this.#infoOnceMade(session, error);
    }
  }

  /** A stream that somebody else makes just now takes its subjects a little before it is there. */
  async #infoOnceMade(session: Session, taken: unknown): Promise<StreamInfo> {
    for (const ms of unheardPauses) {
      await pause(this.#clock, ms);
      const made = await this.#info(session);
      if (made !== undefined) return made;
    }
    throw taken;
  }

  /** A stream that somebody else makes just now is there a little before it takes its subjects. */
  async #publishWhenHeard(
    session: Session,
    publication: Publication,
    id: string,
  ): Promise<number | undefined> {
    for (const ms of unheardPauses)
      try {
        return await this.#publish(session, publication, id);
      } catch (error) {
        if (!isUnanswered(error)) throw error;
        await pause(this.#clock, ms);
      }
    return await this.#publish(session, publication, id);
  }

  #checkSize({ wire }: Session, { value, subject }: Publication): void {
    const limit = (wire.info?.max_payload ?? 1_048_576) - headersAllowance;
    if (value.length * 3 <= limit || Buffer.byteLength(value) <= limit) return;
    throw new MusterError(
      "STORE_TOO_LARGE",
      `the value of ${subject} is larger than what the server takes: ${limit} bytes`,
      { path: "value" },
    );
  }

  async #publish(
    session: Session,
    publication: Publication,
    msgID: string,
  ): Promise<number | undefined> {
    const { subject, value, expected } = publication;
    try {
      const { seq } = await session.publisher.publish(subject, value, {
        headers: messageHeaders(session.client, publication),
        expect: { lastSubjectSequence: expected },
        msgID,
      });
      return seq;
    } catch (error) {
      if (jetStreamCode(error) === wrongSequence) return undefined;
      throw error;
    }
  }
}

/** What the headers of a message take at most, bytes: they count as payload. */
const headersAllowance = 512;
