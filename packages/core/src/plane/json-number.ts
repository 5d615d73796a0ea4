/** Integers with more digits than this are numbers, since a bigint takes more than linear time. */
const maxIntegerDigits = 1000;

/** The value of a JSON number; integers beyond ±(2^53-1) as bigint, so that no digit is lost. */
export function jsonNumber(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value) || text.length > maxIntegerDigits) return value;
  return /^-?\d+$/.test(text) ? BigInt(text) : value;
}
