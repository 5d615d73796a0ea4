import type { JsonReader } from "./json-reader.ts";
import { RawJson } from "./raw-json.ts";

/** A member that we do not know: its name and its value as it was written. */
export type UnknownField = readonly [name: string, value: RawJson];

const none: readonly UnknownField[] = Object.freeze([]);

/** The members of one JSON object as places in its text; each can be taken once. */
export class JsonMembers {
  readonly #text: string;
  readonly #names: (string | undefined)[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #left = 0;

  /** Reads the object at the reader's position, and checks it through and through. */
  constructor(reader: JsonReader) {
    this.#text = reader.text;
    reader.readObject((name) => {
      reader.peek();
      this.#names.push(name);
      this.#starts.push(reader.position);
      reader.skipValue();
      this.#ends.push(reader.position);
      this.#left++;
    });
  }

  /** Whether a name stands there and was not taken. */
  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /** Where the value of a name is, the last of several; undefined when it is not there. */
  find(name: string): { readonly start: number; readonly end: number } | undefined {
    const index = this.#names.lastIndexOf(name);
    const start = this.#starts[index];
    const end = this.#ends[index];
    return start === undefined || end === undefined ? undefined : { start, end };
  }

  /** Text of the value of a name, which then is taken; undefined when it is not there. */
  take(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    if (index < 0) return undefined;
    this.#names[index] = undefined;
    this.#left--;
    return this.#text.slice(this.#starts[index], this.#ends[index]);
  }

  /** What was not taken, in order. */
  rest(): readonly UnknownField[] {
    if (this.#left === 0) return none;
    const fields: UnknownField[] = [];
    for (const [index, name] of this.#names.entries()) {
      if (name === undefined) continue;
      const text = this.#text.slice(this.#starts[index], this.#ends[index]);
      fields.push(Object.freeze([name, RawJson.checked(text)] as const));
    }
    return Object.freeze(fields);
  }
}
