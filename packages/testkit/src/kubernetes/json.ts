import { parseJson, stringifyJson } from "@muster/core/plane";

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);
/** What nests deeper gets rounded numbers. */
const maxDepth = 1000;

/**
 * Reads JSON as an API server does: integers of 64 bits keep every digit (as bigint), other numbers are
 * rounded.
 */
export function readJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  try {
    return rounded(parseJson(text, { maxDepth }));
  } catch {
    // throws for what is no JSON at all
    return JSON.parse(text);
  }
}

/** Writes JSON with bigint as bare numbers. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // there is a bigint in it
    return stringifyJson(value);
  }
}

function rounded(value: unknown): unknown {
  if (typeof value === "bigint")
    return value > maxInt64 || value < minInt64 ? Number(value) : value;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
}
