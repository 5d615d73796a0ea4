import type { EngineState } from "@muster/core/attributes";
import type { PrometheusPage } from "@muster/core/prometheus";
import { type CompiledEngine, type CompiledSource, slotOf } from "./compile.ts";
import { engineFields } from "./engine-definition.ts";
import { combine, type MissingReason } from "./numbers.ts";
import { viewEngine } from "./rank-view.ts";
import { type FoundSeries, findSeries, pickSeries } from "./series.ts";

/** What one page says when read as one engine's. */
export interface PageReading {
  readonly engine: CompiledEngine;
  /** A value or why there is none, by slot: the fields, then the custom metrics. */
  readonly slots: readonly (number | MissingReason)[];
  readonly state: EngineState;
}

const waiting = slotOf("waitingQueueSize");
const running = slotOf("runningRequestsSize");
const kv = slotOf("kvCacheUsagePercent");
const blockSize = slotOf("cacheBlockSize");
const numBlocks = slotOf("cacheNumBlocks");
const capacity = slotOf("kvCacheMaxTokenCapacity");

/** Reads a page as the engine's; `undefined` when it has none of the engine's metrics. */
export function readPage(engine: CompiledEngine, page: PrometheusPage): PageReading | undefined {
  let matched = false;
  const found: (FoundSeries | undefined)[] = [];
  const slots: (number | MissingReason)[] = [];
  for (const [slot, field] of engineFields.entries()) {
    const series = findSeries(engine.fields[slot] ?? [], page, engine.groupBy);
    if (series !== undefined) matched = true;
    const usable = series === "empty" ? undefined : series;
    found.push(usable);
    slots.push(usable === undefined ? "absent" : combine(field, usable));
  }
  if (!matched && !hasMarker(engine, page)) return undefined;
  slots[capacity] = tokenCapacity(slots);
  for (const { spec } of engine.custom) slots.push(scalar({ spec, label: undefined }, page));
  const load = { running: found[running], waiting: found[waiting], kv: found[kv] };
  return { engine, slots, state: viewEngine(engine, load) };
}

/** How many of an engine's fields, markers counting as one, a page has: the more, the likelier. */
export function countMatches(engine: CompiledEngine, page: PrometheusPage): number {
  const present = engine.fields.filter((sources) => findSeries(sources, page, []) !== undefined);
  return present.length + (hasMarker(engine, page) ? 1 : 0);
}

function hasMarker(engine: CompiledEngine, page: PrometheusPage): boolean {
  return engine.markers.length > 0 && findSeries(engine.markers, page, []) !== undefined;
}

/** The engine's own figure, else block size times blocks. */
function tokenCapacity(slots: readonly (number | MissingReason)[]): number | MissingReason {
  const own = slots[capacity];
  const size = slots[blockSize];
  const blocks = slots[numBlocks];
  if (typeof own === "number") return own;
  return typeof size === "number" && typeof blocks === "number" ? size * blocks : "absent";
}

/** A custom metric: one series, never a sum, since only the user knows what it measures. */
function scalar({ spec }: CompiledSource, page: PrometheusPage): number | MissingReason {
  const [sample] = pickSeries(page.family(spec.name)?.samples ?? [], spec, []);
  if (sample === undefined) return "absent";
  return Number.isFinite(sample.value) ? sample.value : "invalid";
}
