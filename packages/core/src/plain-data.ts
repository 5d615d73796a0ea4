import { MusterError } from "./errors.ts";

/** How deep stored plain data may nest. */
const maxDepth = 32;

/** How many values one attribute may hold. */
const maxValues = 100_000;

/** Data this module has frozen through and through: storing it again costs no copy. */
const frozen = new WeakSet<object>();

/**
 * Copies plain data (primitives, arrays, plain objects) and freezes the copy through and through.
 * Objects lose their prototype, so any key is only data. Data frozen here before is given back as
 * it is.
 *
 * @throws MusterError ATTRIBUTE_INVALID for functions, symbols, class instances (give those a
 * `clone()`), for nesting deeper than 32, cycles included, and for more than 100,000 values.
 */
export function freezePlain<T>(value: T): T {
  if (isLeaf(value)) return value;
  return new Copier().copy(value, 0) as T;
}

function isLeaf(value: unknown): boolean {
  if (typeof value === "function" || typeof value === "symbol")
    throw unstorable(`a ${typeof value}`);
  return typeof value !== "object" || value === null || frozen.has(value);
}

/** One copy in the making: counts what it has seen, since shared parts can multiply without end. */
class Copier {
  #values = 0;

  copy(value: unknown, depth: number): unknown {
    if (++this.#values > maxValues) throw unstorable(`more than ${maxValues} values`);
    if (isLeaf(value)) return value;
    if (depth === maxDepth) throw unstorable(`data nested deeper than ${maxDepth}`);
    const result = Array.isArray(value)
      ? Array.from(value, (item) => this.copy(item, depth + 1))
      : this.#copyRecord(value as object, depth);
    frozen.add(Object.freeze(result));
    return result;
  }

  #copyRecord(value: object, depth: number): object {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw unstorable(`an instance of ${value.constructor?.name ?? "a class"} without clone()`);
    const result: Record<string, unknown> = Object.create(null);
    for (const [key, item] of Object.entries(value)) result[key] = this.copy(item, depth + 1);
    return result;
  }
}

function unstorable(what: string): MusterError {
  return new MusterError(
    "ATTRIBUTE_INVALID",
    `cannot store ${what}: give plain data or an object with clone()`,
  );
}

/** Any value as one line of text, at most 200 characters; bigint as digits. For messages and logs. */
export function formatPlain(value: unknown): string {
  try {
    // JSON has no bigint, and shows NaN and Infinity as null
    const text = JSON.stringify(value, (_key, item: unknown) =>
      typeof item === "bigint" || (typeof item === "number" && !Number.isFinite(item))
        ? String(item)
        : item,
    );
    return (text ?? String(value)).slice(0, 200);
  } catch {
    // a cycle, or a toJSON that throws
    return "a value that cannot be printed";
  }
}
