import { StringDecoder } from "node:string_decoder";

/** Cuts chunks of bytes into lines; a line that is longer than allowed is left out and counted. */
export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #maxLength: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #rest = "";
  #skipping = false;

  /** @param maxLength characters */
  constructor(maxLength: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxLength = maxLength;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Uint8Array): void {
    this.#take(this.#decoder.write(chunk as Buffer));
  }

  /** The stream has ended: what is left is a line too. */
  end(): void {
    this.#take(this.#decoder.end());
    this.#line(this.#rest);
    this.#rest = "";
  }

  #take(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#line(this.#rest + text.slice(start, end));
      this.#rest = "";
      start = end + 1;
    }
    this.#rest += text.slice(start);
    if (this.#rest.length > this.#maxLength) {
      this.#rest = "";
      if (!this.#skipping) this.#onTooLong();
      this.#skipping = true;
    }
  }

  #line(line: string): void {
    if (this.#skipping) this.#skipping = false;
    else if (line.length > this.#maxLength) this.#onTooLong();
    else if (line.trim() !== "") this.#onLine(line);
  }
}
