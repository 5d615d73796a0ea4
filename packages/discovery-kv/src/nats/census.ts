import { type Clock, MusterError } from "@muster/core";
import type { Interruptions } from "../interruptions.ts";
import { untilAborted } from "./bounded.ts";
import type { NatsConnection } from "./connection.ts";
import { FeedLoop } from "./feed-loop.ts";
import { Fuse, pause } from "./fuse.ts";
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
  readonly end: Fuse;
}

/** Keeps the {@link Roster} while somebody watches, and clears away what the dead left. */
export class Census {
  readonly #options: CensusOptions;
  readonly #interruptions: Interruptions;
  readonly roster: Roster;
  readonly #users = new Set<Remains>();
  #run: Run | undefined;

  /** @param interruptions told when the leases cannot be followed: nobody is found dead then */
  constructor(options: CensusOptions, interruptions: Interruptions) {
    this.#options = options;
    this.#interruptions = interruptions;
    this.roster = new Roster(options);
  }

  /** Resolves when the roster is complete; it is kept until the returned function is called. */
  async join(remains: Remains, signal?: AbortSignal): Promise<() => void> {
    this.#users.add(remains);
    this.#run ??= this.#begin();
    const leave = (): void => this.#leave(remains);
    try {
      await untilAborted(this.#run.started, signal, "watch");
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
      synced: () => this.#interruptions.end(),
      activity: () => roster.activity(),
      interrupted: (problem: MusterError) => this.#interruptions.begin(problem),
    };
    const loop = new FeedLoop({ ...this.#options, filter: keys.leases, reader });
    const end = new Fuse();
    const started = loop.start();
    started.then(
      () => void this.#clear(end),
      () => undefined,
    );
    return { loop, started, end };
  }

  #leave(remains: Remains): void {
    this.#users.delete(remains);
    if (this.#users.size > 0 || !this.#run) return;
    const { loop, started, end } = this.#run;
    this.#run = undefined;
    end.blow(new MusterError("STORE_CLOSED", "nobody watches any more"));
    this.roster.stop();
    started.then(() => loop.stop()).catch(() => undefined);
  }

  /**
   * First the lease is marked as gone, on the condition that it was not renewed: from then on its
   * owner knows that it has to write anew. Then its records, each on the condition that it was not.
   */
  async #clear(end: Fuse): Promise<void> {
    const { clock, ttl, heartbeat, keys } = this.#options;
    const wait = (ms: number): Promise<void> => pause(clock, ms, (wake) => end.listen(wake));
    while (!end.reason) {
      // by chance, so that of many readers one has it done before the others come to it
      await wait((ttl / 2) * (0.5 + Math.random() / 2));
      const dead = this.roster.unburied(ttl / 2);
      await this.#mark(
        dead.map(({ owner, ...rest }) => ({ subject: keys.lease(owner), ...rest })),
        end,
      );
      if (dead.length > 0) await wait(heartbeat);
      await this.#mark(
        [...this.#users].flatMap((remains) => [...remains()]),
        end,
      );
    }
  }

  async #mark(
    messages: readonly { readonly subject: string; readonly sequence: number }[],
    end: Fuse,
  ): Promise<void> {
    for (const { subject, sequence: expected } of messages) {
      if (end.reason) return;
      try {
        const mark = { subject, value: "", expected, mark: "expired" as const };
        await this.#options.stream.publish(mark, { what: "clearing away what a dead client left" });
      } catch {
        // we may not be allowed to write, or are cut off: others do it, or we do next time
        return;
      }
    }
  }
}

/** The owner whose lease a message is. */
export function ownerOf({ subject }: Message): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}
