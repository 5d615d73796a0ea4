import {
  type Discovery,
  type DiscoveryEvent,
  type DiscoveryInstance,
  type DiscoveryStream,
  encodeInstance,
  withTaints,
} from "@muster/core/plane";

const queries = ["AllEndpoints", "AllModels", "EventChannels", "EventSources"] as const;

/** How a reader reads. */
export interface ReaderOptions {
  /** Default 8: few enough that it is often told differences. */
  readonly queueLimit?: number;
  /** Called with every event; what it throws is the reader's failure. */
  readonly onEvent?: (event: DiscoveryEvent) => void;
}

/** Follows everything, as a router does, and remembers all it was ever shown. */
export class Reader {
  /** Wire form of every record that was shown. */
  readonly shown: Set<string> = new Set();
  /** Set when a stream ended or threw, which none may. */
  failure: unknown;
  readonly #plane: Discovery;
  readonly #onEvent: ReaderOptions["onEvent"];
  readonly #view = new Map<string, DiscoveryInstance>();
  #closing = false;
  #gate: Promise<void> = Promise.resolve();
  #open: (() => void) | undefined;

  private constructor(plane: Discovery, onEvent: ReaderOptions["onEvent"]) {
    this.#plane = plane;
    this.#onEvent = onEvent;
  }

  static async start(plane: Discovery, options: ReaderOptions = {}): Promise<Reader> {
    const { queueLimit = 8, onEvent } = options;
    const reader = new Reader(plane, onEvent);
    const streams = queries.map((type) => plane.listAndWatch({ type }, { queueLimit }));
    for (const stream of await Promise.all(streams)) void reader.#follow(stream);
    return reader;
  }

  /** What it takes for registered. */
  view(): string[] {
    return [...this.#view.values()].map(encodeInstance).sort();
  }

  /** What it is told when it asks. */
  async list(): Promise<string[]> {
    const lists = await Promise.all(queries.map((type) => this.#plane.list({ type })));
    return lists.flat().map(encodeInstance).sort();
  }

  /** Stops reading, if it reads; what happens meanwhile has to wait for it, or to be made up for. */
  stall(): boolean {
    if (this.#open) return false;
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
    return true;
  }

  resume(): void {
    this.#open?.();
    this.#open = undefined;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.resume();
    await this.#plane.close();
  }

  async #follow(stream: DiscoveryStream): Promise<void> {
    try {
      for await (const event of stream) {
        this.#apply(event);
        this.#onEvent?.(event);
        await this.#gate;
      }
      if (!this.#closing) throw new Error("a watch ended by itself");
    } catch (error) {
      this.failure = error;
    }
  }

  #apply(event: DiscoveryEvent): void {
    if (event.type === "Removed") this.#view.delete(event.id.key);
    else if (event.type === "Added") this.#show(event.instance);
    else if (event.type === "ModelTaintsUpdated") {
      const known = this.#view.get(event.id.key);
      if (known?.type !== "Model") throw new Error(`taints of ${event.id.key}, which is not there`);
      this.#show(withTaints(known, event.taints));
    } else this.#verify(event.instances);
  }

  #show(instance: DiscoveryInstance): void {
    this.#view.set(instance.id().key, instance);
    this.shown.add(encodeInstance(instance));
  }

  /** A Resync follows the differences that led to it: it changes nothing. */
  #verify(instances: readonly DiscoveryInstance[]): void {
    for (const instance of instances) {
      const known = this.#view.get(instance.id().key);
      if (!known?.equals(instance)) throw new Error(`Resync has ${encodeInstance(instance)} anew`);
    }
  }
}
