import type { MusterError } from "@muster/core";
import { createCatchUpStream, type WatchEvent } from "@muster/core/plane";

/** What {@link createWatchQueue} needs. */
export interface WatchQueueOptions {
  /**
   * What there is under the watched prefix, with every change that was pushed; asked when the reader
   * comes to a `Resync`. The map is handed on: it must not change afterwards.
   */
  readonly snapshot: () => ReadonlyMap<string, string>;
  /** How many changes wait for a slow reader; default 16,384. Past it they become one `Resync`. */
  readonly limit?: number | undefined;
  /** Ends the watch at once. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when the watch is closed, from either side. */
  readonly onClose?: (() => void) | undefined;
}

/** The store's side of a `Bucket.watch`. */
export interface WatchQueue {
  readonly events: AsyncIterableIterator<WatchEvent>;
  /** Returned, aborted or ended: nothing more needs to be pushed. */
  readonly closed: boolean;
  /** A key has this value now. */
  put(key: string, value: string): void;
  /** A key is gone. */
  delete(key: string): void;
  /** Something may have been missed: the next event is a `Resync`, what waits is dropped. */
  resync(): void;
  /** Ends the watch after what waits; with an error, which the reader gets then. */
  end(error?: MusterError): void;
}

/**
 * The bounded queue of a store's watch; its first event is a `Resync`. A reader that is too slow gets
 * another one, made when it reads: it costs no memory in the meantime, and loses nothing.
 */
export function createWatchQueue(options: WatchQueueOptions): WatchQueue {
  const { snapshot, ...rest } = options;
  const queue = createCatchUpStream<WatchEvent, WatchEvent>({
    ...rest,
    catchUp: () => [{ type: "Resync", entries: snapshot() }],
    deliver: (event) => event,
  });
  queue.fallBehind();
  return {
    events: queue.stream,
    get closed() {
      return queue.closed;
    },
    put: (key, value) => queue.push({ type: "Put", key, value }),
    delete: (key) => queue.push({ type: "Delete", key }),
    resync: () => queue.fallBehind(),
    end: (error) => queue.end(error),
  };
}
