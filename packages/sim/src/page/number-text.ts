/**
 * A sample's value or a bucket's bound as Python's prometheus_client writes it: always with a point
 * or an exponent, exponents from seven digits on.
 */
export function numberText(value: number): string {
  if (Number.isInteger(value) && value > -1e6 && value < 1e6) return `${value}.0`;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (value >= 1e6 && value < 1e16) return positiveExponent(value);
  if (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e16) return pythonExponent(value);
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** The client's own exponent form, with its `e+0` also before two digits (`e+010`). */
function positiveExponent(value: number): string {
  const text = String(value);
  const point = text.indexOf(".");
  const digits = point === -1 ? text.length : point;
  const fraction = point === -1 ? "" : text.slice(point + 1);
  const mantissa = `${text[0]}.${text.slice(1, digits)}${fraction}`.replace(/[0.]+$/, "");
  return `${mantissa}e+0${digits - 1}`;
}

/** Python's repr: at least two digits of exponent. */
function pythonExponent(value: number): string {
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
