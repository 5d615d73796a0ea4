import {
  type MetricSpec,
  matchesMetricSpec,
  type PrometheusPage,
  type Sample,
} from "@muster/core/prometheus";

/** How far ahead a server's clock may be, s. */
const clockAhead = 60;

/** Smaller values are no time, s: early vLLM printed 1. */
const earliest = 1e9;

/** The series that says which adapters a server has now. */
export interface NewestSeries {
  readonly sample: Sample;
  /** When the server last saw it, ms since the epoch; `null` when its value is no such time. */
  readonly lastSeen: number | null;
}

/**
 * Finds the series with the greatest value, the first of equals. Its value is a time in seconds, but
 * several API servers on one page add theirs up, so one beyond `now` (ms) is passed over
 * (llm-d-router#926). Where all are, the means are compared.
 */
export function findNewest(
  page: PrometheusPage,
  specs: readonly MetricSpec[],
  now: number,
): NewestSeries | undefined {
  for (const spec of specs) {
    const samples = page.family(spec.name)?.samples ?? [];
    const newest = newestOf(samples, spec, now / 1000 + clockAhead);
    if (newest !== undefined) return newest;
  }
  return undefined;
}

function newestOf(
  samples: readonly Sample[],
  spec: MetricSpec,
  latest: number,
): NewestSeries | undefined {
  let newest: Sample | undefined;
  let summed: Sample | undefined;
  let highestMean = -1;
  for (const sample of samples) {
    const { value } = sample;
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) continue;
    if (!matchesMetricSpec(spec, sample)) continue;
    if (value <= latest) {
      if (newest === undefined || value > newest.value) newest = sample;
      continue;
    }
    const mean = value / Math.ceil(value / latest);
    if (mean <= highestMean) continue;
    highestMean = mean;
    summed = sample;
  }
  if (newest === undefined) return summed && { sample: summed, lastSeen: null };
  const { value } = newest;
  return { sample: newest, lastSeen: value < earliest ? null : Math.round(value * 1000) };
}
