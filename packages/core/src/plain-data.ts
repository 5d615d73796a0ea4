import { MusterError } from "./errors.ts";

/** How deep stored plain data may nest. */
const maxDepth = 32;

/** Data this module has frozen through and through: storing it again costs no copy. */
const frozen = new WeakSet<object>();

/**
 * Copies plain data (primitives, arrays, plain objects) and freezes the copy through and through.
 * Objects lose their prototype, so any key is only data. Data frozen here before is given back as
 * it is.
 *
 * @throws MusterError ATTRIBUTE_INVALID for functions, symbols, class instances (give those a
 * `clone()`), and for nesting deeper than 32, cycles included.
 */
export function freezePlain<T>(value: T): T {
  return copy(value, 0) as T;
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === "function" || typeof value === "symbol")
    throw unstorable(`a ${typeof value}`);
  if (typeof value !== "object" || value === null || frozen.has(value)) return value;
  if (depth === maxDepth) throw unstorable(`data nested deeper than ${maxDepth}`);
  const result = Array.isArray(value)
    ? Array.from(value, (item) => copy(item, depth + 1))
    : copyRecord(value, depth);
  frozen.add(Object.freeze(result));
  return result;
}

function copyRecord(value: object, depth: number): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw unstorable(`an instance of ${value.constructor?.name ?? "a class"} without clone()`);
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) result[key] = copy(item, depth + 1);
  return result;
}

function unstorable(what: string): MusterError {
  return new MusterError(
    "ATTRIBUTE_INVALID",
    `cannot store ${what}: give plain data or an object with clone()`,
  );
}

/** Plain data as one line of text, at most 200 characters; bigint as digits. */
export function formatPlain(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? item.toString() : item,
  );
  return (text ?? String(value)).slice(0, 200);
}
