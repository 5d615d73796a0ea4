import { type DiscoveryEvent, type DiscoveryStream, encodeInstance } from "@muster/core/plane";
import { expect, vi } from "vitest";

/** Reads a watch to its end, and remembers what it said. */
export class Log {
  readonly events: DiscoveryEvent[] = [];
  readonly done: Promise<void>;

  constructor(stream: DiscoveryStream) {
    this.done = this.#read(stream);
  }

  /** Everything said so far, each as a word and the key it is about: `Added Endpoint:ns/c/e/1`. */
  get said(): string[] {
    return this.events.map((event) => {
      if (event.type === "Added") return `Added ${event.instance.id().key}`;
      return event.type === "Resync" ? "Resync" : `${event.type} ${event.id.key}`;
    });
  }

  /** What a reader has, as records in wire form, sorted. */
  get view(): string[] {
    const view = new Map<string, string>();
    for (const event of this.events) {
      if (event.type === "Added") view.set(event.instance.id().key, encodeInstance(event.instance));
      if (event.type === "Removed") view.delete(event.id.key);
      if (event.type !== "Resync") continue;
      view.clear();
      for (const instance of event.instances) view.set(instance.id().key, encodeInstance(instance));
    }
    return [...view.values()].sort();
  }

  /** Waits until a check of this log passes. */
  async shows(check: () => void): Promise<void> {
    await vi.waitFor(check, { timeout: 4000, interval: 5 });
  }

  /** Waits until exactly this has been said. */
  async says(...said: string[]): Promise<void> {
    await this.shows(() => expect(this.said).toEqual(said));
  }

  /** Forgets what has been said. */
  clear(): void {
    this.events.length = 0;
  }

  async #read(stream: DiscoveryStream): Promise<void> {
    for await (const event of stream) this.events.push(event);
  }
}
