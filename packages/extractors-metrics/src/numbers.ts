import type { Sample } from "@muster/core/prometheus";
import type { EngineField } from "./engine-definition.ts";
import type { FoundSeries } from "./series.ts";

/**
 * Why a field has no value: the page has no such series (`absent`); it has, but none is a number that
 * can be meant (`invalid`); or its ranks contradict each other (`conflicting`).
 */
export type MissingReason = "absent" | "invalid" | "conflicting";

/** A usage may round to a little more than full; anything above is in another unit. */
const fullest = 1.1;

/** The value of one series for a field, or `undefined` when it cannot be one. */
export function numberOf(
  field: EngineField,
  sample: Sample,
  label: string | undefined,
): number | undefined {
  const value = label === undefined ? sample.value : wholeNumber(sample.labels[label]);
  // NaN fails every comparison
  if (value === undefined || !(value >= 0 && value < Number.POSITIVE_INFINITY)) return undefined;
  switch (field) {
    case "kvCacheUsagePercent":
      return value <= fullest ? Math.min(value, 1) : undefined;
    case "waitingQueueSize":
    case "runningRequestsSize":
      return value;
    default:
      // whole numbers, which engines print as 0 before they have sized the cache
      return value > 0 && Number.isSafeInteger(value) ? value : undefined;
  }
}

/** One value of a page's series: counts and blocks added, usage averaged, block sizes compared. */
export function combine(field: EngineField, found: FoundSeries): number | MissingReason {
  const { source, series } = found;
  let sum = 0;
  let count = 0;
  let first: number | undefined;
  for (const sample of series) {
    const value = numberOf(field, sample, source.label);
    if (value === undefined) continue;
    if (field === "cacheBlockSize" && first !== undefined && first !== value) return "conflicting";
    first ??= value;
    sum += value;
    count++;
  }
  if (first === undefined) return "invalid";
  if (field === "cacheBlockSize") return first;
  const combined = field === "kvCacheUsagePercent" ? sum / count : sum;
  return combined < Number.POSITIVE_INFINITY ? combined : "invalid";
}

/** `16` or `16.0`; anything else in a label, such as python's `None`, is no number. */
function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(\.0+)?$/.test(text) ? Number(text) : undefined;
}
