import type { Labels } from "./label-set.ts";
import type { Metadata } from "./metadata-line.ts";

/** A wanted line as the last page had it: its bytes up to where they may change, and what they say. */
export interface KnownLine {
  readonly text: string;
  readonly series?: { readonly name: string; readonly labels: Labels };
  readonly metadata?: Metadata;
}

const maxLines = 1024;
const maxCharacters = 64 * 1024;

/**
 * The wanted lines of an endpoint's last page, in order. Series and metadata rarely change between two
 * scrapes, so most are recognised by comparing bytes instead of being parsed and allocated again. Holds
 * at most 1,024 lines and 64 KiB of text.
 */
export class PageMemory {
  readonly #lines: KnownLine[] = [];
  #next = 0;
  #characters = 0;

  /** Call before each page. */
  rewind(): void {
    this.#next = 0;
    this.#characters = 0;
  }

  /** The line expected next, if it is what stands at `start`. */
  recall(text: string, start: number): KnownLine | undefined {
    const line = this.#lines[this.#next];
    if (line === undefined || !text.startsWith(line.text, start)) return undefined;
    this.#next++;
    this.#characters += line.text.length;
    return line;
  }

  /** Puts a line in the place of the one that was expected. */
  learn(line: KnownLine): void {
    if (this.#next >= maxLines || this.#characters + line.text.length > maxCharacters) return;
    this.#lines[this.#next++] = line;
    this.#characters += line.text.length;
  }

  /** Call after each page: forgets the lines it no longer had. */
  settle(): void {
    this.#lines.length = this.#next;
  }
}
