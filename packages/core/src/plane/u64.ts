import { MusterError } from "../errors.ts";
import { formatPlain } from "../plain-data.ts";

/** The largest id: 2^64-1. */
export const maxU64 = 0xffff_ffff_ffff_ffffn;

/** Whether `value` is a bigint from 0 to 2^64-1, as every id of the plane is. */
export function isU64(value: unknown): value is bigint {
  return typeof value === "bigint" && value >= 0n && value <= maxU64;
}

/**
 * `value`, if it is an id.
 *
 * @throws MusterError PLANE_RECORD otherwise.
 */
export function checkU64(value: bigint, name: string): bigint {
  if (isU64(value)) return value;
  throw new MusterError(
    "PLANE_RECORD",
    `${name} must be a bigint from 0 to 2^64-1, not ${formatPlain(value)} (${typeof value})`,
  );
}

/**
 * Reads an id as the last part of a key has it, like Rust's `u64::from_str_radix(text, 16)`: any
 * case, leading zeros and one `+` are accepted, empty text, `-`, `0x` and more than 64 bits are not.
 *
 * @returns undefined when it is none
 */
export function parseHexId(text: string): bigint | undefined {
  const digits = /^\+?0*([0-9A-Fa-f]{1,16})$/.exec(text)?.[1];
  return digits === undefined ? undefined : BigInt(`0x${digits}`);
}

/** An id as keys have it: lower-case hexadecimal without padding. */
export function formatHexId(id: bigint): string {
  return id.toString(16);
}

/** Reads an id as records have it: a JSON number that is an integer; undefined when it is none. */
export function parseDecimalId(text: string): bigint | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const id = BigInt(text);
  return id <= maxU64 ? id : undefined;
}
