import type { MetricType } from "@muster/core/prometheus";

/** A sample's name taken apart: the family it may belong to, and the types that family must have. */
export interface SuffixedName {
  readonly base: string;
  readonly types: readonly MetricType[];
}

const histograms: readonly MetricType[] = ["histogram", "gaugehistogram"];
const counted: readonly MetricType[] = [...histograms, "summary"];

/** Which families have samples of which suffix: the text format and OpenMetrics 1.0, "Metric types". */
const suffixes: ReadonlyMap<string, readonly MetricType[]> = new Map<string, MetricType[]>([
  ["_bucket", [...histograms]],
  ["_sum", [...counted]],
  ["_count", [...counted]],
  ["_gsum", ["gaugehistogram"]],
  ["_gcount", ["gaugehistogram"]],
  ["_created", ["counter", "histogram", "summary"]],
  ["_total", ["counter"]],
  ["_info", ["info"]],
]);

/** Takes a sample's name apart; `undefined` when it has none of the known suffixes. */
export function splitSuffix(name: string): SuffixedName | undefined {
  const cut = name.lastIndexOf("_");
  if (cut <= 0) return undefined;
  const types = suffixes.get(name.slice(cut));
  return types === undefined ? undefined : { base: name.slice(0, cut), types };
}

/** Another name for a family, and the type it must have under that name. */
export interface FamilyAlias {
  readonly name: string;
  readonly type: MetricType;
}

/**
 * The other names under which the family `name` may be on a page, in order of preference: OpenMetrics
 * leaves `_total` and `_info` off the family's name, the text format does not.
 */
export function familyAliases(name: string): readonly FamilyAlias[] {
  const base = splitSuffix(name)?.base;
  if (base !== undefined && name.endsWith("_total")) return [{ name: base, type: "counter" }];
  const total: FamilyAlias = { name: `${name}_total`, type: "counter" };
  if (base === undefined || !name.endsWith("_info")) return [total];
  return [{ name: base, type: "info" }, total];
}
