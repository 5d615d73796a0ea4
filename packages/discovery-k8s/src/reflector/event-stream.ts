import { onAbort } from "@muster/core/plane";

/** What an {@link EventStream} is made of. */
export interface EventStreamOptions<E> {
  readonly signal: AbortSignal;
  /** What can be read now, or undefined. */
  next(): E | undefined;
  /** Works until `signal` aborts; calls `wake` when there may be something to read. Never rejects. */
  run(signal: AbortSignal, wake: () => void): Promise<void>;
}

/**
 * An async iterator over what a background task makes available. The task begins with the first
 * `next()`, and has ended when `return()` resolves, or the iterator is done.
 */
export class EventStream<E> implements AsyncIterableIterator<E> {
  readonly #options: EventStreamOptions<E>;
  readonly #ending = new AbortController();
  #task: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** Reads wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: EventStreamOptions<E>) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<E, undefined>> {
    const read = this.#turn.then(() => this.#read());
    this.#turn = read;
    return read;
  }

  async return(): Promise<IteratorResult<E, undefined>> {
    this.#end();
    await this.#task;
    return { done: true, value: undefined };
  }

  async #read(): Promise<IteratorResult<E, undefined>> {
    this.#start();
    while (!this.#ending.signal.aborted) {
      const value = this.#options.next();
      if (value !== undefined) return { done: false, value };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return await this.return();
  }

  #start(): void {
    const { signal, run } = this.#options;
    if (signal.aborted) this.#end();
    if (this.#task !== undefined || this.#ending.signal.aborted) return;
    const forget = onAbort(signal, () => this.#end());
    this.#task = run(this.#ending.signal, () => this.#wake?.()).finally(() => {
      forget();
      this.#end();
    });
  }

  #end(): void {
    this.#ending.abort();
    this.#wake?.();
  }
}
