import type { MusterError } from "@muster/core";
import type { Bucket, BucketWatchOptions, KeyValueStore, WatchEvent } from "@muster/core/plane";
import { createNatsStore, type NatsStoreConfig } from "@muster/discovery-kv/nats";
import { until } from "@muster/test-servers";

/** What a test makes, closed at its end, last first. */
export class Bench implements AsyncDisposable {
  readonly #made: AsyncDisposable[] = [];

  add<T extends AsyncDisposable>(made: T): T {
    this.#made.push(made);
    return made;
  }

  /** A store with short times. */
  store(
    servers: string,
    config: Partial<NatsStoreConfig> = {},
    context: Parameters<typeof createNatsStore>[1] = {},
  ): KeyValueStore {
    const short = { ttl: "1s", requestTimeout: "2s" } as const;
    return this.add(createNatsStore({ servers, ...short, ...config }, context));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const made of this.#made.reverse()) await made[Symbol.asyncDispose]();
  }
}

/** A watch that is read, and what came of it. */
export class Follower {
  readonly events: WatchEvent[] = [];
  /** Codes of the reasons for interruptions; `mended` for each end of one. */
  readonly interruptions: string[] = [];
  readonly view: Map<string, string> = new Map();

  static async of(bucket: Bucket, options: BucketWatchOptions = {}): Promise<Follower> {
    const follower = new Follower();
    const onInterruption = (problem: MusterError | undefined): void =>
      void follower.interruptions.push(problem?.code ?? "mended");
    const stream = await bucket.watch({ ...options, onInterruption });
    void follower.#read(stream);
    await until(() => follower.events.length > 0, "the first event");
    return follower;
  }

  /** Resolves when the view is exactly this. */
  async sees(entries: Record<string, string>, timeout = 15_000): Promise<void> {
    const text = (all: Iterable<[string, string]>): string => JSON.stringify([...all].sort());
    const wanted = text(Object.entries(entries));
    await until(() => text(this.view) === wanted, `seeing ${wanted}`, timeout).catch((error) => {
      throw new Error(`${error}; there is ${text(this.view)}`);
    });
  }

  async #read(stream: AsyncIterable<WatchEvent>): Promise<void> {
    for await (const event of stream) {
      this.events.push(event);
      if (event.type === "Put") this.view.set(event.key, event.value);
      else if (event.type === "Delete") this.view.delete(event.key);
      else {
        this.view.clear();
        for (const [key, value] of event.entries) this.view.set(key, value);
      }
    }
  }
}
