import type { ErrorCode } from "../error-codes.ts";
import { MusterError } from "../errors.ts";
import { equalJson } from "./equal-json.ts";
import { maxRawDepth } from "./json-limits.ts";
import { JsonReader } from "./json-reader.ts";
import { isRawJson, rawJsonBrand, stringifyJson } from "./stringify-json.ts";

/** Values that were looked at; kept beside, so that RawJson of two copies are one type. */
const values = new WeakMap<object, unknown>();

/**
 * JSON kept as the text it was given in, so that writing it back changes no byte: number spelling,
 * member order and repeated names included.
 */
export class RawJson {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
    Object.defineProperty(this, rawJsonBrand, { value: true });
    Object.freeze(this);
  }

  /** What the text says, frozen, as `parseJson` reads it; parsed when first asked for. */
  get value(): unknown {
    if (!values.has(this)) values.set(this, new JsonReader(this.text).readValue(true));
    return values.get(this);
  }

  /**
   * JSON of a value, as `stringifyJson` writes it.
   *
   * @throws MusterError PLANE_JSON for what JSON cannot hold.
   */
  static of(value: unknown): RawJson {
    return RawJson.parse(stringifyJson(value));
  }

  /**
   * Takes a text over after checking it; space around it is dropped.
   *
   * @throws MusterError PLANE_JSON when it is not JSON, or nested deeper than 120.
   */
  static parse(text: string): RawJson {
    const reader = new JsonReader(text, { maxDepth: maxRawDepth });
    reader.peek();
    const start = reader.position;
    reader.skipValue();
    const end = reader.position;
    reader.end();
    return new RawJson(text.slice(start, end));
  }

  /** @internal Text that was checked already. */
  static checked(text: string): RawJson {
    return new RawJson(text);
  }

  /** Whether both say the same: spelling of numbers, order of members and spaces do not count. */
  equals(other: { readonly text: string; readonly value: unknown }): boolean {
    return this.text === other.text || equalJson(this.value, other.value);
  }

  toString(): string {
    return this.text;
  }
}

/** `value`, if it is JSON kept as text, of this or another copy of the package. */
export function checkRawJson(value: RawJson, code: ErrorCode, name: string): RawJson {
  if (isRawJson(value)) return value;
  throw new MusterError(code, `${name} must be RawJson: use RawJson.of(value)`);
}
