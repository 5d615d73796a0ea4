import { parseJson } from "@muster/core/plane";

/** A page of 500 records of workers with large model cards; no more than an answer may have. */
const maxLength = 268_435_456;
/** Far above what a record may have, and still within the stack. */
const maxDepth = 1000;

/**
 * Reads JSON with every digit of integers. What only nests too deep for that is read with rounded
 * numbers: one strange record must not keep all others from being read.
 */
export function parseExact(text: string): unknown {
  try {
    return parseJson(text, { maxLength, maxDepth });
  } catch {
    // throws for what is no JSON at all
    return JSON.parse(text);
  }
}
