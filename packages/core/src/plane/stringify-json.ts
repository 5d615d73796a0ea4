import { isMusterError, MusterError, messageOf } from "../errors.ts";
import { maxJsonLength, maxRawDepth } from "./json-limits.ts";

/** Marks a RawJson, of this or another copy of the package. */
export const rawJsonBrand: unique symbol = Symbol.for("muster.raw-json") as never;

/** Whether `value` is JSON kept as text. */
export function isRawJson(value: unknown): value is { readonly text: string } {
  return typeof value === "object" && value !== null && rawJsonBrand in value;
}

/**
 * Writes compact JSON like `JSON.stringify`, with bigint as a bare number, RawJson as its text, and
 * `-0` as it is.
 *
 * @throws MusterError PLANE_JSON for what JSON cannot hold: NaN, infinities, undefined, functions and
 * symbols as the value itself, cycles and nesting deeper than 120, more than 16,777,216 characters.
 */
export function stringifyJson(value: unknown): string {
  try {
    const text = new Writer().write(value, "", 0);
    if (text === undefined) throw unwritable(`a value of type ${typeof value}`);
    return text;
  } catch (error) {
    if (isMusterError(error)) throw error;
    throw new MusterError("PLANE_JSON", `cannot write JSON: ${messageOf(error)}`, { cause: error });
  }
}

class Writer {
  #length = 0;

  write(given: unknown, key: string, depth: number): string | undefined {
    const value = prepared(given, key);
    switch (typeof value) {
      case "string":
        return this.#count(JSON.stringify(value));
      case "number":
        if (!Number.isFinite(value)) throw unwritable(String(value));
        return this.#count(Object.is(value, -0) ? "-0" : String(value));
      case "boolean":
      case "bigint":
        return this.#count(String(value));
      case "object":
        if (value === null) return this.#count("null");
        if (isRawJson(value)) return this.#count(value.text);
        if (depth === maxRawDepth) throw unwritable(`a cycle, or more than ${maxRawDepth} levels`);
        return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth);
      default:
        return undefined;
    }
  }

  #array(value: readonly unknown[], depth: number): string {
    const items: string[] = [];
    for (let index = 0; index < value.length; index++)
      items.push(this.write(value[index], String(index), depth + 1) ?? this.#count("null"));
    this.#count(",");
    return `[${items.join(",")}]`;
  }

  #object(value: object, depth: number): string {
    const members: string[] = [];
    for (const [name, item] of Object.entries(value)) {
      const text = this.write(item, name, depth + 1);
      if (text !== undefined) members.push(`${this.#count(JSON.stringify(name))}:${text}`);
    }
    this.#count("{}");
    return `{${members.join(",")}}`;
  }

  /** Shared parts can multiply without end. */
  #count(text: string): string {
    this.#length += text.length + 1;
    if (this.#length > maxJsonLength) throw unwritable(`more than ${maxJsonLength} characters`);
    return text;
  }
}

/** What `JSON.stringify` looks at instead of the value: `toJSON`, and wrapped primitives unwrapped. */
function prepared(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || isRawJson(value)) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  const result: unknown = typeof toJSON === "function" ? toJSON.call(value, key) : value;
  const wrapped =
    result instanceof Number ||
    result instanceof String ||
    result instanceof Boolean ||
    result instanceof BigInt;
  return wrapped ? result.valueOf() : result;
}

function unwritable(what: string): MusterError {
  return new MusterError("PLANE_JSON", `cannot write ${what} as JSON`);
}
