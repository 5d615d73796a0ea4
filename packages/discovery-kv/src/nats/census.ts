import { type Clock, delay } from "@muster/core";
import type { NatsConnection } from "./connection.ts";
import { FeedLoop } from "./feed-loop.ts";
import type { KeySpace } from "./keys.ts";
import type { Message } from "./message.ts";
import { Roster } from "./roster.ts";
import type { BucketStream } from "./stream.ts";

/** Options of {@link Census}. */
export interface CensusOptions {
  readonly connection: NatsConnection;
  readonly stream: BucketStream;
  readonly keys: KeySpace;
  readonly clock: Clock;
  /** ms. */
  readonly ttl: number;
  /** How often the server lets feeds hear of it, ms. */
  readonly heartbeat: number;
}

/** What the dead leave in somebody's view of a bucket. */
export type Remains = () => Iterable<Message>;

interface Run {
  readonly loop: FeedLoop;
  readonly started: Promise<void>;
  readonly end: AbortController;
}

/** Keeps the {@link Roster} while somebody watches, and clears away what the dead left. */
export class Census {
  readonly #options: CensusOptions;
  readonly roster: Roster;
  readonly #users = new Set<Remains>();
  #run: Run | undefined;

  constructor(options: CensusOptions) {
    this.#options = options;
    this.roster = new Roster(options);
  }

  /** Resolves when the roster is complete; it is kept until the returned function is called. */
  async join(remains: Remains, signal?: AbortSignal): Promise<() => void> {
    this.#users.add(remains);
    this.#run ??= this.#begin();
    const leave = (): void => this.#leave(remains);
    try {
      await this.#run.started;
      signal?.throwIfAborted();
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  #begin(): Run {
    const { keys } = this.#options;
    const { roster } = this;
    const reader = {
      begin: () => roster.beginSnapshot(),
      take: (message: Message, age: number | undefined) =>
        roster.hear(ownerOf(message), message, age),
      synced: () => undefined,
      activity: () => roster.activity(),
    };
    const loop = new FeedLoop({ ...this.#options, filter: keys.leases, reader });
    const end = new AbortController();
    const started = loop.start();
    started.then(
      () => void this.#clear(end.signal),
      () => undefined,
    );
    return { loop, started, end };
  }

  #leave(remains: Remains): void {
    this.#users.delete(remains);
    if (this.#users.size > 0 || !this.#run) return;
    const { loop, started, end } = this.#run;
    this.#run = undefined;
    end.abort();
    this.roster.stop();
    started.then(() => loop.stop()).catch(() => undefined);
  }

  /**
   * First the lease is marked as gone, on the condition that it was not renewed: from then on its
   * owner knows that it has to write anew. Then its records, each on the condition that it was not.
   */
  async #clear(signal: AbortSignal): Promise<void> {
    const { clock, ttl, keys, stream } = this.#options;
    while (!signal.aborted) {
      // by chance, so that of many readers one has it done before the others come to it
      await delay(clock, ttl * (0.5 + Math.random() / 2), signal);
      const marks = [
        ...this.roster
          .unburied(ttl)
          .map(({ owner, sequence }) => ({ subject: keys.lease(owner), sequence })),
        ...[...this.#users].flatMap((remains) => [...remains()]),
      ];
      for (const { subject, sequence } of marks) {
        if (signal.aborted) return;
        const mark = { subject, value: "", expected: sequence, mark: "expired" as const };
        try {
          await stream.publish(mark, { what: "clearing away what a dead client left" });
        } catch {
          // we may not be allowed to write, or are cut off: others do it, or we do next time
          break;
        }
      }
    }
  }
}

/** The owner whose lease a message is. */
export function ownerOf({ subject }: Message): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}
