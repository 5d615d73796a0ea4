import { type Metrics, metricsFields } from "@muster/core";
import { equalPlain } from "./equal-plain.ts";

/** Whether both say the same; when they were read does not count. */
export function equalMetrics(a: Metrics, b: Metrics): boolean {
  if (a === b) return true;
  for (const field of metricsFields) {
    const before = a[field];
    const now = b[field];
    if (before !== now && !equalPlain(before, now)) return false;
  }
  return true;
}
