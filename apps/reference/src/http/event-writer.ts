import { setImmediate } from "node:timers/promises";

/** Characters that wait at most before the writer is waited for. */
const enough = 64 * 1024;

/** Takes text and resolves once more may come. */
export type Write = (text: string) => Promise<unknown>;

/**
 * Joins what is written within one turn of the event loop: thousands of small writes a second to each
 * watcher would leave no time for polls.
 */
export class EventWriter {
  readonly #write: Write;
  #text = "";
  #flushing: Promise<void> | undefined;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Whether the reader has taken everything. */
  get idle(): boolean {
    return this.#flushing === undefined;
  }

  /** Gives a promise to wait for when the reader is slow. */
  push(text: string): Promise<void> | undefined {
    this.#text += text;
    this.#flushing ??= this.#flush();
    return this.#text.length > enough ? this.#flushing : undefined;
  }

  /** Resolves when everything is written. */
  async end(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  async #flush(): Promise<void> {
    await setImmediate();
    while (this.#text !== "") {
      const text = this.#text;
      this.#text = "";
      await this.#write(text);
    }
    this.#flushing = undefined;
  }
}
