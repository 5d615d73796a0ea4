import { MusterError } from "@muster/core";
import { maxProblems } from "./limits.ts";
import type { SourceText } from "./source-text.ts";

/** What is wrong: an entry that cannot be used, or something odd that is used as it is. */
export type ProblemCode = "DISCOVERY_ENTRY" | "DISCOVERY_WARNING";

/** Where: the offset in the text, and the path in the document such as `endpoints[2].port`. */
export interface Place {
  readonly offset: number;
  readonly path: string;
}

/** Collects the problems of one file, each with `file:line:column: path`; bounded. */
export class ProblemList {
  readonly #source: SourceText;
  readonly #kept: MusterError[] = [];
  #count = 0;

  constructor(source: SourceText) {
    this.#source = source;
  }

  get kept(): readonly MusterError[] {
    return this.#kept;
  }

  /** How many there were beyond those that are kept. */
  get omitted(): number {
    return this.#count - this.#kept.length;
  }

  add(code: ProblemCode, place: Place, message: string): void {
    if (++this.#count > maxProblems) return;
    const path = `${this.#source.position(place.offset)}: ${place.path}`;
    this.#kept.push(new MusterError(code, message, { path }));
  }
}
