import type { WatchEvent } from "@muster/core/plane";
import { describeKeyValueStore } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";
import { EventQueue } from "./examples/event-queue.ts";
import { MemoryKeyValueStore } from "./examples/memory-key-value-store.ts";
import { storeHarness } from "./examples/memory-store-harness.ts";

type Store = MemoryKeyValueStore;

class ReplaysPuts extends MemoryKeyValueStore {
  protected override first(queue: EventQueue<WatchEvent>, resync: WatchEvent): void {
    if (resync.type !== "Resync") return;
    for (const [key, value] of resync.entries) queue.push({ type: "Put", key, value });
  }
}

class ResyncsTwice extends MemoryKeyValueStore {
  protected override first(queue: EventQueue<WatchEvent>, resync: WatchEvent): void {
    queue.push(resync);
    queue.push(resync);
  }
}

class WatchesLate extends MemoryKeyValueStore {
  override watch(...args: Parameters<Store["watch"]>): ReturnType<Store["watch"]> {
    const first: WatchEvent = { type: "Resync", entries: this.entriesUnder(args[0], "") };
    const late = new Promise((resolve) => setTimeout(resolve, 5));
    const follow = (): ReturnType<Store["watch"]> => super.watch(...args);
    return (async function* (): AsyncGenerator<WatchEvent> {
      yield first;
      await late;
      const stream = follow();
      await stream.next();
      yield* stream;
    })();
  }
}

/** Changes the events of all watches. */
abstract class Filter extends MemoryKeyValueStore {
  protected abstract filter(event: WatchEvent, queue: EventQueue<WatchEvent>): WatchEvent[];

  protected override queue(resync: () => WatchEvent, onEnd: () => void): EventQueue<WatchEvent> {
    const queue = super.queue(resync, onEnd);
    const push = queue.push.bind(queue);
    queue.push = (event) => {
      for (const each of this.filter(event, queue)) push(each);
    };
    return queue;
  }
}

class FirstPutOnly extends Filter {
  readonly #seen = new Set<string>();

  protected override filter(event: WatchEvent): WatchEvent[] {
    if (event.type !== "Put") return [event];
    if (this.#seen.has(event.key)) return [];
    this.#seen.add(event.key);
    return [event];
  }
}

class KeepsDeletions extends Filter {
  protected override filter(event: WatchEvent): WatchEvent[] {
    return event.type === "Delete" ? [] : [event];
  }
}

class DeletesTwice extends Filter {
  protected override filter(event: WatchEvent): WatchEvent[] {
    return event.type === "Delete" ? [event, event] : [event];
  }
}

class ServesOneReader extends Filter {
  readonly #served = new WeakMap<WatchEvent, EventQueue<WatchEvent>>();

  protected override filter(event: WatchEvent, queue: EventQueue<WatchEvent>): WatchEvent[] {
    if (event.type === "Resync") return [event];
    if (!this.#served.has(event)) this.#served.set(event, queue);
    return this.#served.get(event) === queue ? [event] : [];
  }
}

class Swaps extends Filter {
  #held: WatchEvent | undefined;

  protected override filter(event: WatchEvent): WatchEvent[] {
    if (event.type !== "Put" || Number(event.value) % 50 === 0) return [event];
    const held = this.#held;
    this.#held = held ? undefined : event;
    return held ? [event, held] : [];
  }
}

class DropsWhenSlow extends MemoryKeyValueStore {
  protected override queue(resync: () => WatchEvent, onEnd: () => void): EventQueue<WatchEvent> {
    let waiting = 0;
    const queue = new EventQueue<WatchEvent>({ limit: 100_000, resync, onEnd });
    const [push, next] = [queue.push.bind(queue), queue.next.bind(queue)];
    queue.push = (event) => {
      if (waiting++ < 50) push(event);
    };
    queue.next = () => {
      waiting = 0;
      return next();
    };
    return queue;
  }
}

class WithoutBound extends MemoryKeyValueStore {
  protected override queue(resync: () => WatchEvent, onEnd: () => void): EventQueue<WatchEvent> {
    return new EventQueue({ limit: 100_000, resync, onEnd });
  }
}

class RawPrefix extends MemoryKeyValueStore {
  override isUnder(prefix: string, key: string): boolean {
    return key.startsWith(prefix);
  }
}

class StaysOnReturn extends MemoryKeyValueStore {
  protected override queue(resync: () => WatchEvent, onEnd: () => void): EventQueue<WatchEvent> {
    const queue = super.queue(resync, onEnd);
    queue.return = async () => ({ done: true, value: undefined });
    return queue;
  }
}

class IgnoresSignals extends MemoryKeyValueStore {
  override watch(...[bucket, options]: Parameters<Store["watch"]>): ReturnType<Store["watch"]> {
    return super.watch(bucket, { ...options, signal: undefined });
  }
}

class ThrowsAtAbort extends MemoryKeyValueStore {
  protected override queue(resync: () => WatchEvent, onEnd: () => void): EventQueue<WatchEvent> {
    const queue = super.queue(resync, onEnd);
    const next = queue.next.bind(queue);
    queue.next = async () => {
      const result = await next();
      if (result.done === true) throw new Error("aborted");
      return result;
    };
    return queue;
  }
}

class WatchesOnAfterClose extends MemoryKeyValueStore {
  override watch(...[bucket, options]: Parameters<Store["watch"]>): ReturnType<Store["watch"]> {
    return new MemoryKeyValueStore(this.registry).watch(bucket, options);
  }
}

class ReportsTouches extends MemoryKeyValueStore {
  override touch(): void {
    for (const [key, { value }] of this.registry.entries("v1/instances"))
      this.registry.tell("v1/instances", { type: "Put", key, value });
  }
}

const first = "begins a watch with one Resync of what is there";
const slow = "ends at the truth however slowly it is read";
const follows = "follows what other clients create, replace, delete and create again";

describe("the key-value store suite fails a store whose watch", () => {
  it.each([
    ["replays puts", ReplaysPuts, first],
    ["resyncs twice", ResyncsTwice, first],
    ["begins late", WatchesLate, "misses nothing that happens right after a watch is established"],
    ["reports the first value only", FirstPutOnly, follows],
    ["says nothing of deletions", KeepsDeletions, follows],
    ["reports deletions twice", DeletesTwice, "says that a key is deleted, by a Delete and once"],
    ["mixes up the order", Swaps, "never shows an older value after a newer one"],
    ["drops what is too much", DropsWhenSlow, slow],
    ["lets everything wait", WithoutBound, slow],
    [
      "shares events out",
      ServesOneReader,
      "gives every watcher of a bucket everything, and watchers of others nothing",
    ],
    ["compares prefixes as text", RawPrefix, "watches a path: ns1 is not ns10"],
    ["goes on when it is returned", StaysOnReturn, "ends a watch that is returned, at once"],
    ["ignores its signal", IgnoresSignals, "ends quietly when its signal aborts later"],
    ["throws when its signal aborts", ThrowsAtAbort, "ends quietly when its signal aborts later"],
    ["outlives its store", WatchesOnAfterClose, "ends its watches when it closes"],
    [
      "reports touches",
      ReportsTouches,
      "keeps keys alive beyond their lifetime, and reports none of it",
    ],
  ])("%s", async (_what, Broken, test) => {
    const failures = await failuresOf(
      (api) => describeKeyValueStore(api, storeHarness(Broken)),
      test,
    );
    expect(failures).toEqual([test]);
  });
});
