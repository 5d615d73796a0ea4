import { Buffer } from "node:buffer";

/** Longest text worth looking up instead of copying again. */
const maxShared = 128;

/**
 * A page as text with one character per byte: finding and comparing in it are the engine's own
 * primitives, on Node, Deno and Bun alike, and an index is a byte offset.
 */
export class PageText {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly #buffer: Buffer;
  readonly #copies = new Map<string, string>();

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.bytes = this.#buffer;
    this.text = this.#buffer.toString("latin1");
  }

  /**
   * The UTF-8 text of some bytes, invalid ones as U+FFFD. It is a copy, made once per page: a slice of
   * `text` would keep the whole page alive for as long as a label of it is remembered.
   */
  copy(start: number, end: number): string {
    if (end - start > maxShared) return this.#buffer.toString("utf8", start, end);
    const raw = this.text.slice(start, end);
    let copy = this.#copies.get(raw);
    if (copy === undefined) {
      copy = this.#buffer.toString("utf8", start, end);
      this.#copies.set(raw, copy);
    }
    return copy;
  }

  /** A copy of a part of `text`, bytes as they are. */
  copyRaw(start: number, end: number): string {
    return this.#buffer.toString("latin1", start, end);
  }
}
