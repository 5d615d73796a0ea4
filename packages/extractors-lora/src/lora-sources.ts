import { type MetricSpec, parseMetricSpec } from "@muster/core/prometheus";
import type { CheckedConfig } from "./config.ts";

/** Built-in engines that report LoRA adapters, and where; other engines have no such metric. */
export const loraSpecs: ReadonlyMap<string, string> = new Map([
  ["vllm", "vllm:lora_requests_info"],
  ["llm-d-inference-sim", "vllm:lora_requests_info"],
]);

/** The simulator's page cannot be told from vLLM's, so only a label chooses it. */
const neverGuessed = "llm-d-inference-sim";

/** Where engines report their adapters. */
export interface LoraSources {
  readonly families: readonly string[];
  /** Where to look on the page of an endpoint whose label names that engine, or none known. */
  of(engine: string | undefined): readonly MetricSpec[];
}

/** The built-in sources with the user's beside, or in the place of, them. */
export function createLoraSources(config: CheckedConfig): LoraSources {
  const byEngine = new Map<string, readonly MetricSpec[]>();
  for (const [name, spec] of loraSpecs) byEngine.set(name, [parseMetricSpec(spec)]);
  for (const { name, loraSpec } of config.engineConfigs)
    byEngine.set(name, loraSpec ? [parseMetricSpec(loraSpec)] : []);
  const guessed = [...byEngine].filter(([name]) => name !== neverGuessed);
  const byDefault = byEngine.get(config.defaultEngine ?? "") ?? [];
  const anyEngine = [...byDefault, ...guessed.flatMap(([, specs]) => specs)];
  return {
    families: [...new Set([...byEngine.values()].flat().map((spec) => spec.name))],
    of: (engine) => (engine === undefined ? undefined : byEngine.get(engine)) ?? anyEngine,
  };
}
