import { StringDecoder } from "node:string_decoder";

/** Cuts a stream of bytes into lines, wherever its pieces end. */
export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  readonly #limit: number;
  #parts: string[] = [];
  #length = 0;

  /** @param limit longest line, in UTF-16 code units */
  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  /** @returns false when a line is longer than the limit: nothing more should be pushed */
  push(chunk: Uint8Array): boolean {
    const text = this.#decoder.write(chunk as Buffer);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      if (!this.#keep(text.slice(start, end))) return false;
      this.#flush();
      start = end + 1;
    }
    return this.#keep(text.slice(start));
  }

  /** What is left, without its line break. */
  end(): void {
    this.#flush();
  }

  #keep(part: string): boolean {
    if (part === "") return true;
    this.#length += part.length;
    if (this.#length > this.#limit) return false;
    this.#parts.push(part);
    return true;
  }

  #flush(): void {
    const line = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    if (line.trim() !== "") this.#onLine(line);
  }
}
