import { type AttributeKey, attributeKey } from "../attribute-map.ts";

/** The load of one data-parallel rank; unknown is `null`. */
export interface RankLoad {
  /** The rank's label value, such as `0`. */
  readonly rank: string;
  readonly running: number | null;
  readonly waiting: number | null;
  /** KV cache usage, 0..1. */
  readonly kv: number | null;
}

/** What core metrics learned of the engine behind an endpoint; unknown is `null`. */
export interface EngineState {
  /** Name of the engine whose metric names fit, such as `vllm`. */
  readonly engine: string;
  /** Label `model_name` of the running-requests series. */
  readonly modelName: string | null;
  /** Highest KV cache usage of all ranks, 0..1. */
  readonly kvMax: number | null;
  /** One entry per rank, in the page's order; empty when the page has no rank label. */
  readonly ranks: readonly RankLoad[];
}

/** Engine and per-rank view, by `@muster/extractors-metrics`. */
export const engineState: AttributeKey<EngineState> = attributeKey("engine", isEngineState);

function isEngineState(value: unknown): value is EngineState {
  if (typeof value !== "object" || value === null) return false;
  const { engine, modelName, kvMax, ranks } = value as Partial<EngineState>;
  return (
    typeof engine === "string" &&
    (modelName === null || typeof modelName === "string") &&
    (kvMax === null || typeof kvMax === "number") &&
    Array.isArray(ranks)
  );
}
