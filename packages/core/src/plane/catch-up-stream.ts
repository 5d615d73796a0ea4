import { MusterError } from "../errors.ts";
import { Fifo } from "./fifo.ts";
import { createPullStream } from "./pull-stream.ts";

/** How many events wait for a slow reader, as in the original. */
const defaultLimit = 16_384;

/** What {@link createCatchUpStream} needs. */
export interface CatchUpStreamOptions<Item, Event> {
  /**
   * What brings a reader that fell behind to the present state. Asked when it reads, so that falling
   * behind further costs nothing.
   */
  readonly catchUp: () => Iterable<Item>;
  /** Turns what was pushed into what is read, at the moment in which it is read. */
  readonly deliver: (item: Item) => Event;
  /** How many pushed items wait; default 16,384. Those of `catchUp` come on top. */
  readonly limit?: number | undefined;
  /** Ends the stream at once. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when the stream is closed, from either side. */
  readonly onClose?: (() => void) | undefined;
  /** Called each time the reader falls behind because it is too slow. */
  readonly onOverflow?: (() => void) | undefined;
}

/** The producer's side of a {@link createCatchUpStream}. */
export interface CatchUpStream<Item, Event> {
  /** For one reader; several `next()` may be under way at once and are answered in order. */
  readonly stream: AsyncIterableIterator<Event>;
  /** Returned, aborted or ended: nothing more needs to be produced. */
  readonly closed: boolean;
  /** Adds an item; `catchUp` has to know of it already. */
  push(item: Item): void;
  /** Drops what waits; the reader goes on with `catchUp`. */
  fallBehind(): void;
  /** Ends the stream after what is left to read; with an error, which is thrown once. */
  end(error?: MusterError): void;
}

/**
 * A stream with a bound that never loses what matters: past the bound what waits is dropped, and the
 * reader is brought to the present state when it reads on. What watches of stores and of the plane
 * are made of.
 *
 * @throws MusterError CONFIG_INVALID for a limit that is no whole number from 1
 */
export function createCatchUpStream<Item, Event>(
  options: CatchUpStreamOptions<Item, Event>,
): CatchUpStream<Item, Event> {
  const { limit = defaultLimit, signal, onClose, onOverflow } = options;
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new MusterError("CONFIG_INVALID", `queueLimit ${limit} must be a whole number from 1`, {
      path: "queueLimit",
    });
  const caughtUp = new Fifo<Item>();
  const pushed = new Fifo<Item>();
  let behind = false;

  function pull(): Event | undefined {
    if (behind) {
      behind = false;
      for (const item of options.catchUp()) caughtUp.push(item);
    }
    const item = caughtUp.shift() ?? pushed.shift();
    return item === undefined ? undefined : options.deliver(item);
  }

  const reader = createPullStream({ pull, signal, onClose });
  const fallBehind = (): void => {
    caughtUp.clear();
    pushed.clear();
    behind = true;
    reader.wake();
  };
  return {
    stream: reader.stream,
    get closed() {
      return reader.closed;
    },
    push(item) {
      if (behind || reader.closed) return;
      if (pushed.size >= limit) {
        onOverflow?.();
        return fallBehind();
      }
      pushed.push(item);
      reader.wake();
    },
    fallBehind() {
      if (!reader.closed) fallBehind();
    },
    end: (error) => reader.end(error),
  };
}
