import { MusterError } from "@muster/core";
import type { Bucket, BucketWatchOptions, KeyValueStore, WatchEvent } from "@muster/core/plane";
import { createWatchQueue, type WatchQueue } from "../../src/watch-queue.ts";

/** A store whose watches can be cut off from it, as by a network, and connected again. */
export interface InterruptibleStore extends KeyValueStore {
  cut(): void;
  heal(): void;
}

interface Watch {
  readonly queue: WatchQueue;
  readonly onInterruption: BucketWatchOptions["onInterruption"];
}

/** Puts it around a store that works: calls go through, only watches are cut. */
export function interruptible(store: KeyValueStore): InterruptibleStore {
  const watches = new Set<Watch>();
  let isCut = false;

  async function watch(bucket: Bucket, options: BucketWatchOptions = {}) {
    const source = await bucket.watch(options);
    const state = new Map<string, string>();
    const entry: Watch = {
      queue: createWatchQueue({
        snapshot: () => new Map(state),
        signal: options.signal,
        onClose: () => {
          watches.delete(entry);
          void source.return?.();
        },
      }),
      onInterruption: options.onInterruption,
    };
    watches.add(entry);
    apply(state, (await source.next()).value);
    void pump(source, state, entry.queue).then(() => entry.queue.end());
    return entry.queue.events;
  }

  async function pump(
    source: AsyncIterable<WatchEvent>,
    state: Map<string, string>,
    to: WatchQueue,
  ) {
    for await (const event of source) {
      apply(state, event);
      if (isCut) continue;
      if (event.type === "Put") to.put(event.key, event.value);
      else if (event.type === "Delete") to.delete(event.key);
      else to.resync();
    }
  }

  return {
    type: store.type,
    connectionId: store.connectionId,
    closed: store.closed,
    bucket(name) {
      const bucket = store.bucket(name);
      return {
        name,
        create: (...args) => bucket.create(...args),
        get: (...args) => bucket.get(...args),
        compareAndReplace: (...args) => bucket.compareAndReplace(...args),
        delete: (...args) => bucket.delete(...args),
        entries: (...args) => bucket.entries(...args),
        watch: (options) => watch(bucket, options),
      };
    },
    check: (options) => store.check(options),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
    cut() {
      isCut = true;
      for (const { onInterruption } of watches)
        onInterruption?.(new MusterError("STORE_UNAVAILABLE", "cut off"));
    },
    heal() {
      isCut = false;
      for (const { onInterruption, queue } of watches) {
        onInterruption?.(undefined);
        queue.resync();
      }
    },
  };
}

function apply(state: Map<string, string>, event: WatchEvent): void {
  if (event.type === "Put") state.set(event.key, event.value);
  else if (event.type === "Delete") state.delete(event.key);
  else {
    state.clear();
    for (const [key, value] of event.entries) state.set(key, value);
  }
}
