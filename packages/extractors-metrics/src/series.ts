import {
  type MetricSpec,
  matchesMetricSpec,
  type PrometheusPage,
  type Sample,
} from "@muster/core/prometheus";
import type { CompiledSource } from "./compile.ts";

const none: readonly Sample[] = [];

/** The series of the first source that a page has, one for each group. */
export interface FoundSeries {
  readonly source: CompiledSource;
  readonly series: readonly Sample[];
}

/**
 * Looks for the first source with series. `"empty"`: the page has such a family, but without a usable
 * series, as python servers print before the engine is up; that names the engine, and is no value.
 */
export function findSeries(
  sources: readonly CompiledSource[],
  page: PrometheusPage,
  groupBy: readonly string[],
): FoundSeries | "empty" | undefined {
  let empty = false;
  for (const source of sources) {
    const samples = page.family(source.spec.name)?.samples;
    if (samples === undefined) continue;
    if (samples.length === 0) empty = true;
    const series = pickSeries(samples, source.spec, groupBy);
    if (series.length > 0) return { source, series };
  }
  return empty ? "empty" : undefined;
}

/**
 * The matching series, one for each combination of the `groupBy` labels, in the page's order: of
 * several the one with the newest explicit timestamp, else the first. All other labels (tensor,
 * pipeline, expert and context ranks, process ids) repeat the same scheduler and are never added.
 */
export function pickSeries(
  samples: readonly Sample[],
  spec: MetricSpec,
  groupBy: readonly string[],
): readonly Sample[] {
  const [only] = samples;
  if (only === undefined) return none;
  if (samples.length === 1) return matchesMetricSpec(spec, only) ? samples : none;
  const chosen = new Map<string, Sample>();
  for (const sample of samples) {
    if (!matchesMetricSpec(spec, sample)) continue;
    const group = groupOf(sample, groupBy);
    const known = chosen.get(group);
    if (known === undefined || isNewer(sample, known)) chosen.set(group, sample);
  }
  return [...chosen.values()];
}

/** The rank a series belongs to; `undefined` when it has no rank label. */
export function rankOf(sample: Sample, rankLabels: readonly string[]): string | undefined {
  let rank: string | undefined;
  for (const label of rankLabels) {
    const value = sample.labels[label];
    if (value !== undefined) rank = rank === undefined ? value : `${rank}/${value}`;
  }
  return rank;
}

/** Lengths keep values apart whatever they hold. */
function groupOf(sample: Sample, groupBy: readonly string[]): string {
  let group = "";
  for (const label of groupBy) {
    const value = sample.labels[label];
    group += value === undefined ? "-" : `${value.length}:${value}`;
  }
  return group;
}

function isNewer(sample: Sample, than: Sample): boolean {
  if (sample.timestamp === undefined) return false;
  return than.timestamp === undefined || sample.timestamp > than.timestamp;
}
