import type { EngineState } from "@muster/core/attributes";
import { isExpected, slotName } from "./compile.ts";
import { type EngineField, engineFields } from "./engine-definition.ts";
import type { PageReading } from "./read-page.ts";
import type { MissingMetric } from "./reports.ts";

/** One page as the extractor understands it. */
export interface PageExplanation {
  readonly engine: string;
  /** The fields that have a value. */
  readonly metrics: Readonly<Partial<Record<EngineField, number>>>;
  /** Custom metrics by attribute; no prototype. */
  readonly custom: Readonly<Record<string, number>>;
  readonly state: EngineState;
  /** What the engine's page should have and this one has not. */
  readonly missing: readonly MissingMetric[];
}

/** A reading in words. */
export function explainReading({ engine, slots, state }: PageReading): PageExplanation {
  const metrics: Partial<Record<EngineField, number>> = {};
  const custom: Record<string, number> = Object.create(null);
  const missing: MissingMetric[] = [];
  for (const [slot, result] of slots.entries()) {
    const field = engineFields[slot];
    const metric = slotName(engine, slot);
    if (typeof result !== "number") {
      if (isExpected(engine, slot)) missing.push({ metric, reason: result });
    } else if (field !== undefined) metrics[field] = result;
    else custom[metric] = result;
  }
  return { engine: engine.name, metrics, custom, state, missing };
}
