import type { MusterError } from "../errors.ts";
import { onAbort } from "./on-abort.ts";

/** What {@link createPullStream} needs. */
export interface PullStreamOptions<T> {
  /** Gives the next item, or undefined when there is none yet. Asked only when somebody reads. */
  readonly pull: () => T | undefined;
  /** Ends the stream at once, whatever is left to read. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when nothing more has to be produced: ended, returned or aborted. */
  readonly onClose?: (() => void) | undefined;
}

/** The producer's side of a stream. */
export interface PullStream<T> {
  /** For one reader; several `next()` may be under way at once and are answered in order. */
  readonly stream: AsyncIterableIterator<T>;
  /** Whether the reader is gone or the stream was ended: nothing more has to be produced. */
  readonly closed: boolean;
  /** Says that `pull` may have something. */
  wake(): void;
  /** Ends the stream after what is left to read; with an error, which is thrown once. */
  end(error?: MusterError): void;
}

/**
 * An async iterable that asks for its items when they are read. So the producer decides what waits
 * for a slow reader, and in how much memory.
 */
export function createPullStream<T>(options: PullStreamOptions<T>): PullStream<T> {
  const producer = new PullIterator(options);
  return {
    stream: producer.iterator,
    get closed() {
      return producer.closed;
    },
    wake: () => producer.wake(),
    end: (error) => producer.end(error),
  };
}

interface Reader<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: MusterError): void;
}

class PullIterator<T> {
  readonly iterator: AsyncIterableIterator<T>;
  readonly #options: PullStreamOptions<T>;
  /** Unset while the constructor runs, which is when a signal may turn out to be aborted. */
  readonly #unlink: (() => void) | undefined;
  #readers: Reader<T>[] = [];
  #error: MusterError | undefined;
  /** Ended: what is left can be read. Over: nothing can. */
  #state: "open" | "ended" | "over" = "open";

  constructor(options: PullStreamOptions<T>) {
    this.#options = options;
    this.iterator = {
      next: () => this.#next(),
      return: () => {
        this.#over();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]: () => this.iterator,
    };
    this.#unlink = onAbort(options.signal, () => this.#over());
  }

  get closed(): boolean {
    return this.#state !== "open";
  }

  wake(): void {
    while (this.#readers.length > 0) {
      const item = this.#pull();
      if (item === undefined) return;
      this.#readers.shift()?.resolve({ value: item, done: false });
    }
  }

  end(error: MusterError | undefined): void {
    if (this.closed) return;
    this.wake();
    this.#state = "ended";
    this.#error = error;
    this.#close();
    // whoever still waits has read everything there is
    if (this.#readers.length > 0) this.#finish();
  }

  #next(): Promise<IteratorResult<T, undefined>> {
    const item = this.#readers.length > 0 ? undefined : this.#pull();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      if (this.closed) this.#finish();
    });
  }

  #pull(): T | undefined {
    return this.#state === "over" ? undefined : this.#options.pull();
  }

  #over(): void {
    if (this.#state === "over") return;
    const open = !this.closed;
    this.#state = "over";
    this.#error = undefined;
    if (open) this.#close();
    this.#finish();
  }

  #finish(): void {
    this.#state = "over";
    const readers = this.#readers;
    this.#readers = [];
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) readers.shift()?.reject(error);
    for (const reader of readers) reader.resolve({ value: undefined, done: true });
  }

  #close(): void {
    this.#unlink?.();
    this.#options.onClose?.();
  }
}
