import type { EngineState, RankLoad } from "@muster/core/attributes";
import type { CompiledEngine } from "./compile.ts";
import type { EngineField } from "./engine-definition.ts";
import { numberOf } from "./numbers.ts";
import { type FoundSeries, rankOf } from "./series.ts";

/** How many ranks the view lists; sums count them all. */
const maxRanks = 1024;

/** How much of a label value from the page is kept. */
const maxLabel = 256;

/** The series of a page by which ranks are compared. */
export interface LoadSeries {
  readonly running: FoundSeries | undefined;
  readonly waiting: FoundSeries | undefined;
  readonly kv: FoundSeries | undefined;
}

type MutableRank = { -readonly [Key in keyof RankLoad]: RankLoad[Key] };

/** What the page says of the engine itself. */
export function viewEngine(engine: CompiledEngine, load: LoadSeries): EngineState {
  const ranks = new Map<string, MutableRank>();
  addRanks(ranks, engine, "runningRequestsSize", load.running);
  addRanks(ranks, engine, "waitingQueueSize", load.waiting);
  addRanks(ranks, engine, "kvCacheUsagePercent", load.kv);
  return {
    engine: engine.name,
    modelName: load.running?.series[0]?.labels.model_name?.slice(0, maxLabel) ?? null,
    kvMax: highest(load.kv),
    ranks: [...ranks.values()],
  };
}

/** Whether storing `b` over `a` would change nothing. */
export function equalEngineState(a: EngineState | undefined, b: EngineState): boolean {
  return (
    a !== undefined &&
    a.engine === b.engine &&
    a.modelName === b.modelName &&
    a.kvMax === b.kvMax &&
    a.ranks.length === b.ranks.length &&
    a.ranks.every((rank, index) => equalRank(rank, b.ranks[index]))
  );
}

function addRanks(
  ranks: Map<string, MutableRank>,
  engine: CompiledEngine,
  field: EngineField,
  found: FoundSeries | undefined,
): void {
  for (const sample of found?.series ?? []) {
    const label = rankOf(sample, engine.rankLabels);
    if (label === undefined) continue;
    const value = numberOf(field, sample, found?.source.label) ?? null;
    const entry = rankEntry(ranks, label);
    if (entry === undefined || value === null) continue;
    if (field === "runningRequestsSize") entry.running = (entry.running ?? 0) + value;
    else if (field === "waitingQueueSize") entry.waiting = (entry.waiting ?? 0) + value;
    else entry.kv = Math.max(entry.kv ?? 0, value);
  }
}

function rankEntry(ranks: Map<string, MutableRank>, label: string): MutableRank | undefined {
  const known = ranks.get(label);
  if (known !== undefined || ranks.size === maxRanks) return known;
  const rank = label.slice(0, maxLabel);
  const entry: MutableRank = { rank, running: null, waiting: null, kv: null };
  ranks.set(label, entry);
  return entry;
}

function highest(kv: FoundSeries | undefined): number | null {
  let max: number | null = null;
  for (const sample of kv?.series ?? []) {
    const value = numberOf("kvCacheUsagePercent", sample, kv?.source.label);
    if (value !== undefined && (max === null || value > max)) max = value;
  }
  return max;
}

function equalRank(a: RankLoad, b: RankLoad | undefined): boolean {
  return (
    b !== undefined &&
    a.rank === b.rank &&
    a.running === b.running &&
    a.waiting === b.waiting &&
    a.kv === b.kv
  );
}
