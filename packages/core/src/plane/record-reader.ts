import { MusterError } from "../errors.ts";
import { JsonMembers, type UnknownField } from "./json-members.ts";
import { JsonReader } from "./json-reader.ts";
import { badRecord } from "./plane-error.ts";
import { parseDecimalId } from "./u64.ts";

/** Takes the members of an object of a record one by one; throws PLANE_RECORD for a wrong one. */
export class RecordReader {
  readonly members: JsonMembers;
  readonly #where: string;

  constructor(reader: JsonReader, where = "") {
    if (reader.peek() !== 0x7b) {
      // whether it is JSON at all is said first
      reader.skipValue();
      throw badRecord(`${where || "a record"} must be an object`);
    }
    this.members = new JsonMembers(reader);
    this.#where = where;
  }

  has(name: string): boolean {
    return this.members.has(name);
  }

  /** The text of a member that must be there once. */
  raw(name: string): string {
    const text = this.members.take(name);
    if (text === undefined) throw badRecord(`${this.#path(name)} is missing`);
    return this.#once(name, text);
  }

  string(name: string): string {
    return this.#string(name, this.raw(name));
  }

  /** A string; undefined when missing or null. */
  optionalString(name: string): string | undefined {
    const text = this.members.take(name);
    if (text === undefined) return undefined;
    this.#once(name, text);
    return text === "null" ? undefined : this.#string(name, text);
  }

  id(name: string): bigint {
    const text = this.raw(name);
    const id = parseDecimalId(text);
    if (id === undefined)
      throw badRecord(
        `${this.#path(name)} must be an integer from 0 to 2^64-1, not ${short(text)}`,
      );
    return id;
  }

  object(name: string): RecordReader {
    return new RecordReader(new JsonReader(this.raw(name)), this.#path(name));
  }

  strings(name: string): readonly string[] {
    const items: string[] = [];
    const reader = new JsonReader(this.raw(name));
    if (reader.peek() !== 0x5b) throw badRecord(`${this.#path(name)} must be a list`);
    reader.readArray(() => {
      if (reader.peek() !== 0x22) throw badRecord(`${this.#path(name)} must hold strings only`);
      items.push(reader.readString());
    });
    return Object.freeze(items);
  }

  rest(): readonly UnknownField[] {
    return this.members.rest();
  }

  /** An error that names what is wrong with a value. */
  fail(name: string, problem: string): MusterError {
    return badRecord(`${this.#path(name)} ${problem}`);
  }

  #string(name: string, text: string): string {
    if (text.charCodeAt(0) !== 0x22)
      throw badRecord(`${this.#path(name)} must be a string, not ${short(text)}`);
    return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  /** Of equal names the original reads none. */
  #once(name: string, text: string): string {
    if (this.members.has(name)) throw badRecord(`${this.#path(name)} stands there twice`);
    return text;
  }

  #path(name: string): string {
    return this.#where === "" ? name : `${this.#where}.${name}`;
  }
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The record in a text. */
export function readRecord(text: string): RecordReader {
  const reader = new JsonReader(text);
  const record = new RecordReader(reader);
  reader.end();
  return record;
}

/** What a record's `type` says; PLANE_RECORD_TYPE for an unknown one. */
export function unknownType(type: string): MusterError {
  return new MusterError(
    "PLANE_RECORD_TYPE",
    `unknown record type ${JSON.stringify(short(type))}: expected Endpoint, Model, EventChannel or EventSource`,
  );
}
