import { type Clock, MusterError } from "@muster/core";
import type { ConsumerConfig } from "@nats-io/jetstream";
import type { Msg, Subscription } from "@nats-io/transport-node";
import type { Session } from "./connection.ts";
import { toStoreError } from "./errors.ts";
import { type Message, readMessage } from "./message.ts";

/** What {@link openFeed} follows, and whom it tells. */
export interface FeedOptions {
  readonly clock: Clock;
  readonly stream: string;
  /** Subjects, may have wildcards. */
  readonly filter: string;
  /** How often a server with nothing to say says so, ms; silence three times as long ends the feed. */
  readonly heartbeat: number;
  /**
   * Called for each message, none before the feed is open. `age`, of those of the first part: how old
   * it was when the feed was opened, ms by the server's clock. What it throws breaks the feed.
   */
  readonly onMessage: (message: Message, age: number | undefined) => void;
  /** The server is there: called for all it sends, after `onMessage`. */
  readonly onActivity?: (() => void) | undefined;
}

/** A consumer of ours: first the last message of each subject, then each one as it is stored. */
export interface Feed {
  /** Resolves when the first part is through; rejects when the feed broke, or was stopped, before. */
  readonly synced: Promise<void>;
  /** Resolves when the feed broke: it ended, something was missed, or the server fell silent. */
  readonly broken: Promise<MusterError>;
  /** Ends it and removes the consumer; never throws. */
  stop(): Promise<void>;
}

/** Follows subjects of the stream, in a session; nothing outlives that session. */
export async function openFeed(session: Session, options: FeedOptions): Promise<Feed> {
  const feed = new ConsumerFeed(session, options);
  await feed.open();
  return feed;
}

class ConsumerFeed implements Feed {
  readonly #session: Session;
  readonly #options: FeedOptions;
  readonly synced: Promise<void>;
  readonly broken: Promise<MusterError>;
  #sync: () => void = () => undefined;
  #break: (problem: MusterError) => void = () => undefined;
  readonly #failSync: (problem: MusterError) => void;
  #subscription: Subscription | undefined;
  #consumer: string | undefined;
  #received = 0;
  #initial = Number.POSITIVE_INFINITY;
  /** Sequence of the last message. */
  #sequence = 0;
  /** When a message of at least this sequence was delivered, the first part is through. */
  #goal = Number.POSITIVE_INFINITY;
  #isAiming = false;
  #lastActivity = 0;
  #unlisten: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  #stopped = false;
  #createdAt = 0;
  /** What arrives before the answer that says how much of it is the first part. */
  #early: Msg[] | undefined = [];
  #through = false;

  constructor(session: Session, options: FeedOptions) {
    this.#session = session;
    this.#options = options;
    let fail: (problem: MusterError) => void = () => undefined;
    this.synced = new Promise((resolve, reject) => {
      this.#sync = () => {
        this.#through = true;
        resolve();
      };
      fail = reject;
    });
    this.synced.catch(() => undefined);
    this.#failSync = fail;
    this.broken = new Promise((resolve) => {
      this.#break = (problem) => {
        resolve(problem);
        this.#failSync(problem);
        void this.stop();
      };
    });
  }

  async open(): Promise<void> {
    const { wire, client, streams, lost } = this.#session;
    const inbox = client.transport.createInbox();
    this.#unlisten = lost.listen((reason) => this.#break(reason));
    this.#subscription = wire.subscribe(inbox, {
      callback: (error, msg) => this.#take(error, msg),
    });
    try {
      const info = await streams.consumers.add(this.#options.stream, this.#config(inbox));
      this.#consumer = info.name;
      this.#createdAt = Date.parse(info.created);
      // what was delivered while we waited for this answer is among neither count alone
      this.#initial = info.num_pending + info.delivered.consumer_seq;
      if (this.#stopped) await this.#remove();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#lastActivity = this.#options.clock.monotonic();
    this.#watch();
    const early = this.#early ?? [];
    this.#early = undefined;
    if (this.#initial === 0) this.#sync();
    for (const msg of early) this.#take(null, msg);
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#failSync(new MusterError("STORE_CLOSED", `following ${this.#options.filter} was ended`));
    this.#unlisten?.();
    this.#cancelWatch?.();
    this.#subscription?.unsubscribe();
    await this.#remove();
  }

  #config(inbox: string): Partial<ConsumerConfig> {
    return {
      deliver_subject: inbox,
      deliver_policy: "last_per_subject" as ConsumerConfig["deliver_policy"],
      ack_policy: "none" as ConsumerConfig["ack_policy"],
      replay_policy: "instant" as ConsumerConfig["replay_policy"],
      filter_subject: this.#options.filter,
      flow_control: true,
      idle_heartbeat: this.#options.heartbeat * 1e6,
      // should we vanish: the server removes the consumer so long after nobody listens any more
      inactive_threshold: 2e9,
      mem_storage: true,
      num_replicas: 1,
    };
  }

  /** Our deleting is politeness: without it the server does it a little later. */
  async #remove(): Promise<void> {
    const { streams, lost } = this.#session;
    if (this.#consumer === undefined || lost.reason) return;
    await streams.consumers.delete(this.#options.stream, this.#consumer).catch(() => undefined);
  }

  #take(error: Error | null, msg: Msg): void {
    if (this.#stopped) return;
    if (this.#early) {
      this.#early.push(msg);
      return;
    }
    this.#lastActivity = this.#options.clock.monotonic();
    if (error) this.#break(toStoreError(error, `following ${this.#options.filter}`));
    else if (msg.headers?.code === 100) this.#takeStatus(msg);
    else if (msg.headers?.code) this.#break(this.#missed(msg.headers.description));
    else this.#takeMessage(msg);
    if (!this.#stopped) this.#options.onActivity?.();
  }

  /** A request of flow control, answered; or a heartbeat. */
  #takeStatus(msg: Msg): void {
    if (msg.reply) {
      msg.respond();
      return;
    }
    const stalled = msg.headers?.get("Nats-Consumer-Stalled");
    if (stalled) this.#session.wire.publish(stalled);
    const last = Number(msg.headers?.get("Nats-Last-Consumer") || 0);
    if (last !== this.#received) this.#break(this.#missed(`${last - this.#received} messages`));
    else this.#sync();
  }

  #takeMessage(msg: Msg): void {
    const place = readPlace(msg.reply ?? "");
    if (place === undefined || place.delivery !== this.#received + 1) {
      this.#break(this.#missed("messages"));
      return;
    }
    this.#received += 1;
    this.#sequence = place.sequence;
    const raw = { subject: msg.subject, seq: place.sequence, data: msg.data, headers: msg.headers };
    const message = readMessage(raw, place.time);
    const age = this.#through ? undefined : Math.max(0, this.#createdAt - place.time);
    try {
      this.#options.onMessage(message, age);
    } catch (error) {
      this.#break(toStoreError(error, `following ${this.#options.filter}`));
      return;
    }
    if (this.#through || this.#received < this.#initial) return;
    if (place.pending === 0 || place.sequence >= this.#goal) this.#sync();
    else if (!this.#isAiming) void this.#aim();
  }

  /**
   * All of the first part was delivered, and more is said to come: that may be new, or miscounted (by
   * 2.9.10 when what it was about to deliver was overwritten, and then for good). Where the stream ends
   * now is no matter of counting.
   */
  async #aim(): Promise<void> {
    const { streams } = this.#session;
    this.#isAiming = true;
    try {
      this.#goal = (await streams.streams.info(this.#options.stream)).state.last_seq;
      if (this.#sequence >= this.#goal) this.#sync();
    } catch (error) {
      if (!this.#stopped) this.#break(toStoreError(error, `following ${this.#options.filter}`));
    }
  }

  #missed(what: string): MusterError {
    return new MusterError(
      "STORE_UNAVAILABLE",
      `following ${this.#options.filter}: missed ${what}`,
    );
  }

  #watch(): void {
    const { clock, heartbeat } = this.#options;
    if (this.#stopped) return;
    this.#cancelWatch = clock.schedule(() => {
      if (clock.monotonic() - this.#lastActivity <= 3 * heartbeat) {
        this.#watch();
        return;
      }
      const what = `following ${this.#options.filter}: the server fell silent`;
      this.#break(new MusterError("STORE_UNAVAILABLE", what));
    }, heartbeat);
  }
}

/**
 * Where a message stands, from its reply subject:
 * `$JS.ACK[.<domain>.<account>].<stream>.<consumer>.<deliveries>.<sequence>.<delivery>.<time>.<pending>[.<token>]`.
 */
function readPlace(
  reply: string,
): { sequence: number; delivery: number; time: number; pending: number } | undefined {
  const tokens = reply.split(".");
  const start = tokens.length === 9 ? 5 : 7;
  const [sequence, delivery, time, pending] = tokens.slice(start).map(Number);
  if (!sequence || !delivery || time === undefined || pending === undefined) return undefined;
  return { sequence, delivery, time: Math.floor(time / 1e6), pending };
}
