import type { EngineSet } from "./choose-engine.ts";
import { type CompiledEngine, compileEngine } from "./compile.ts";
import type { CheckedConfig, CheckedEngineConfig } from "./config.ts";
import type { EngineDefinition, LabelSource } from "./engine-definition.ts";
import { engines } from "./engines.ts";

/** The built-in engines with the user's beside, or in the place of, them. */
export function createEngineSet(config: CheckedConfig): EngineSet {
  const byName = new Map<string, CompiledEngine>();
  for (const engine of engines) byName.set(engine.name, compileEngine(engine));
  for (const engine of config.engineConfigs)
    byName.set(engine.name, compileEngine(toDefinition(engine)));
  const { defaultEngine } = config;
  return {
    byName,
    defaultEngine: defaultEngine === undefined ? undefined : byName.get(defaultEngine),
  };
}

function toDefinition(config: CheckedEngineConfig): EngineDefinition {
  // which labels tell series apart is a fact about the engine that has no parameter
  const builtIn = engines.find((engine) => engine.name === config.name);
  return {
    name: config.name,
    rankLabels: builtIn?.rankLabels,
    modelLabels: builtIn?.modelLabels,
    customMetrics: config.customMetrics,
    fields: {
      waitingQueueSize: given(config.queuedRequestsSpec),
      runningRequestsSize: given(config.runningRequestsSpec),
      kvCacheUsagePercent: given(config.kvUsageSpec),
      cacheBlockSize: [
        ...given(config.cacheBlockSizeSpec),
        ...labelled(config.cacheInfoSpec, config.cacheBlockSizeLabelName),
      ],
      cacheNumBlocks: [
        ...given(config.cacheNumBlocksSpec),
        ...labelled(config.cacheInfoSpec, config.cacheNumBlocksLabelName),
      ],
    },
  };
}

function given(spec: string | undefined): string[] {
  return spec ? [spec] : [];
}

function labelled(spec: string | undefined, label: string): LabelSource[] {
  return spec && label ? [{ spec, label }] : [];
}
