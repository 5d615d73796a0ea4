import { type Clock, MusterError } from "@muster/core";
import { backOff } from "../back-off.ts";
import { untilAborted, untilLost } from "./bounded.ts";
import type { NatsConnection } from "./connection.ts";
import { toStoreError } from "./errors.ts";
import { type Feed, type FeedOptions, openFeed } from "./feed.ts";
import { Fuse, pause } from "./fuse.ts";
import type { Message } from "./message.ts";
import type { BucketStream } from "./stream.ts";

/** Who follows subjects whatever happens. */
export interface FeedReader {
  /** All there is follows, from the beginning. */
  begin(): void;
  take(message: Message, age: number | undefined): void;
  /** That was all there is; what follows are changes. */
  synced(): void;
  activity?(): void;
  /** Nothing is heard any more; `begin` follows some time. */
  interrupted?(problem: MusterError): void;
}

/** Options of {@link FeedLoop}. */
export interface FeedLoopOptions {
  readonly connection: NatsConnection;
  readonly stream: BucketStream;
  readonly clock: Clock;
  readonly filter: string;
  /** ms. */
  readonly heartbeat: number;
  readonly reader: FeedReader;
}

/** A feed that is opened again, from the beginning, whenever it breaks. */
export class FeedLoop {
  readonly #options: FeedLoopOptions;
  readonly #stopping = new Fuse();
  #feed: Feed | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: FeedLoopOptions) {
    this.#options = options;
  }

  /** Resolves when the reader was told all there is; throws when that fails, which is not retried. */
  async start(signal?: AbortSignal): Promise<void> {
    const feed = await this.#open(signal);
    this.#running = this.#keep(feed);
  }

  /** Ends it; the reader hears no more. */
  async stop(): Promise<void> {
    this.#stopping.blow(new MusterError("STORE_CLOSED", "the watch was closed"));
    await this.#feed?.stop();
    await this.#running;
  }

  async #keep(first: Feed): Promise<void> {
    for (let feed: Feed | undefined = first; feed; ) {
      const problem = await untilLost(feed.broken, this.#stopping).catch(() => undefined);
      if (problem === undefined) return;
      this.#options.reader.interrupted?.(problem);
      feed = await this.#reopen();
    }
  }

  async #reopen(): Promise<Feed | undefined> {
    const { clock, reader, connection } = this.#options;
    const over = (): boolean => Boolean(this.#stopping.reason ?? connection.closing.reason);
    for (let attempt = 0; !over(); attempt++) {
      try {
        return await this.#open();
      } catch (error) {
        if (!over()) reader.interrupted?.(toStoreError(error, "following the bucket"));
      }
      await pause(
        clock,
        backOff(attempt),
        (wake) => this.#stopping.listen(wake),
        (wake) => connection.closing.listen(wake),
        // the best moment to try
        (wake) => connection.onSession(wake),
      );
    }
    return undefined;
  }

  async #open(signal?: AbortSignal): Promise<Feed> {
    const { connection, stream, filter, reader } = this.#options;
    const what = `following ${filter}`;
    let abandoned = false;
    try {
      const feed = await connection.run({ what, signal }, async (session) => {
        await stream.ensure(session);
        // a later attempt may be reading by now: this one must not make it begin again
        if (abandoned) throw session.lost.reason;
        reader.begin();
        const opened = await openFeed(
          session,
          this.#feedOptions(() => abandoned),
        );
        if (abandoned) void opened.stop();
        return opened;
      });
      this.#feed = feed;
      await untilAborted(feed.synced, signal, what);
      this.#stopping.throwIfBlown();
      reader.synced();
      return feed;
    } catch (error) {
      abandoned = true;
      void this.#feed?.stop();
      throw error;
    }
  }

  #feedOptions(abandoned: () => boolean): FeedOptions {
    const { stream, reader, filter, clock, heartbeat } = this.#options;
    const deaf = (): boolean => abandoned() || this.#stopping.reason !== undefined;
    return {
      ...{ stream: stream.name, filter, clock, heartbeat },
      onMessage: (message, age) => deaf() || reader.take(message, age),
      onActivity: () => deaf() || reader.activity?.(),
    };
  }
}
