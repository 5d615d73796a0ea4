const unitMs: Readonly<Record<string, number>> = Object.freeze({
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});

/** A duration in configuration: Go's text (`50ms`, `1.5s`, `1h30m`) or a number of milliseconds. */
export type Duration = string | number;

/**
 * The ms of a duration, or `undefined` when it is not one: negative, not finite, without unit (other
 * than `0`), or with an unknown unit. Grammar: Go's `time.ParseDuration`, without a sign.
 */
export function parseDuration(duration: Duration): number | undefined {
  if (typeof duration === "number")
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined;
  if (duration === "0") return 0;
  if (
    duration.length > 64 ||
    !/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|[u\u00b5\u03bc]s|ms|s|m|h))+$/.test(duration)
  )
    return undefined;
  let total = 0;
  for (const [, amount, unit] of duration.matchAll(/([\d.]+)([a-z\u00b5\u03bc]+)/g))
    total += Number(amount) * (unitMs[unit ?? ""] ?? Number.NaN);
  return Number.isFinite(total) ? total : undefined;
}
