import type { Position } from "./config-document.ts";

/** More than anyone reads at once: the rest is counted. */
const maxNotes = 100;

/** Longer than any message of ours; one that quotes the file may be of any length. */
const maxLength = 4000;

/** Remarks on places of a file, each once, in the order of the file; bounded. */
export class Notes<T> {
  /** How many did not fit. */
  left = 0;
  readonly #notes = new Map<string, { readonly position: Position; readonly note: T }>();

  get size(): number {
    return this.#notes.size;
  }

  /** `key` tells whether it was said before. */
  add(key: string, position: Position, note: T): void {
    if (this.#notes.has(key)) return;
    if (this.#notes.size === maxNotes) this.left += 1;
    else this.#notes.set(key, { position, note });
  }

  /** Those on one place keep the order in which they were made. */
  list(): T[] {
    return [...this.#notes.values()]
      .sort(({ position: a }, { position: b }) => a.line - b.line || a.column - b.column)
      .map(({ note }) => note);
  }
}

/** One line of bounded length: what a file holds must not look like further lines of ours. */
export function printable(text: string): string {
  const line = text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
