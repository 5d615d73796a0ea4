const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexadecimal =
  /^([+-]?)0[xX](?=\.?[\da-fA-F])([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/;
const infinity = /^([+-]?)inf(?:inity)?$/i;

/**
 * A number as Go's `strconv.ParseFloat` reads it, since that is what exporters are tested against:
 * `undefined` for anything it refuses or finds out of range. Digits grouped by underscores are
 * refused, as Prometheus does (textparse keeps to the formats from before Go 1.13 there).
 */
export function parseGoFloat(token: string): number | undefined {
  if (decimal.test(token)) return finite(Number(token));
  if (/^nan$/i.test(token)) return Number.NaN;
  const inf = infinity.exec(token);
  if (inf) return inf[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const hex = hexadecimal.exec(token);
  if (!hex) return undefined;
  const [, sign, whole = "", fraction = "", exponent] = hex;
  const value = finite(scaleHex(whole + fraction, Number(exponent) - 4 * fraction.length));
  return sign === "-" && value !== undefined ? -value : value;
}

/** `digits` * 2^`exponent`: the first 64 bits and whether any later bit is set decide the rounding. */
function scaleHex(digits: string, exponent: number): number {
  const significant = digits.replace(/^0+/, "");
  if (significant === "") return 0;
  const kept = significant.slice(0, 16);
  const dropped = significant.slice(16);
  const sticky = /[^0]/.test(dropped) ? 1n : 0n;
  const mantissa = Number(BigInt(`0x${kept}`) | sticky);
  const shift = Math.max(-2200, Math.min(2200, exponent + 4 * dropped.length));
  // in two steps: 2^shift alone may be out of range where the product is not
  const half = Math.trunc(shift / 2);
  return mantissa * 2 ** half * 2 ** (shift - half);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
