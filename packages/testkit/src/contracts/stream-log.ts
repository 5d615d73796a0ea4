import { eventually, settled, verify } from "./verify.ts";

/** Reads a stream to its end in the background and keeps what it gave. */
export class StreamLog<Event> {
  readonly events: Event[] = [];
  /** Set when the stream ended, with its error if it threw. */
  ended: { readonly error?: unknown } | undefined;
  readonly #stream: AsyncIterableIterator<Event>;
  readonly #done: Promise<void>;
  readonly #patience: number;

  constructor(stream: AsyncIterableIterator<Event>, patience: number) {
    this.#stream = stream;
    this.#patience = patience;
    this.#done = this.#read();
  }

  async #read(): Promise<void> {
    try {
      for await (const event of { [Symbol.asyncIterator]: () => this.#stream })
        this.events.push(event);
      this.ended = {};
    } catch (error) {
      this.ended = { error };
    }
  }

  /** Waits for `read`, a function of what was given so far, to give `expected`. */
  async shows(read: () => unknown, expected: unknown, what: string): Promise<void> {
    // a stream that ended shows nothing any more: what it shows now is final
    const final = (): unknown => (this.ended?.error === undefined ? read() : this.ended);
    await eventually(final, expected, what, this.#patience);
  }

  /** Waits for the end, which must not be an error. */
  async ends(what: string): Promise<void> {
    await settled(this.#done, `the end of ${what}`, this.#patience);
    verify(this.ended?.error === undefined, `${what} must end quietly, threw ${this.ended?.error}`);
  }

  /** Ends the stream from the reader's side. */
  async stop(): Promise<void> {
    await stopStream(this.#stream, this.#patience);
    await this.ends("a stream that was returned");
  }
}

/** Ends a stream from the reader's side; fails the test when that takes long. */
export async function stopStream<Event>(
  stream: AsyncIterableIterator<Event>,
  patience: number,
): Promise<void> {
  await settled(Promise.resolve(stream.return?.()), "return()", patience);
}
