import type { Clock, Logger, PluginContext, PollInput, TypedName } from "@muster/core";
import {
  engineOf,
  type PrometheusExtractor,
  type PrometheusPage,
  prometheusPage,
} from "@muster/core/prometheus";
import type { CheckedConfig } from "./config.ts";
import { EndpointMemory } from "./endpoint-memory.ts";
import { createLoraSources, type LoraSources } from "./lora-sources.ts";
import { findNewest } from "./newest-series.ts";

/** Makes the extractor from checked configuration. */
export function createLoraExtractor(
  config: CheckedConfig,
  context: PluginContext & { readonly typedName: TypedName },
): PrometheusExtractor {
  return new LoraExtractor(config, context);
}

class LoraExtractor implements PrometheusExtractor {
  readonly typedName: TypedName;
  readonly variant = "polling";
  readonly payload = prometheusPage;
  readonly families: readonly string[];
  readonly #sources: LoraSources;
  readonly #labelKey: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #memories = new Map<string, EndpointMemory>();

  constructor(config: CheckedConfig, context: PluginContext & { readonly typedName: TypedName }) {
    this.typedName = context.typedName;
    this.#sources = createLoraSources(config);
    this.families = this.#sources.families;
    this.#labelKey = config.engineLabelKey;
    this.#clock = context.clock;
    this.#logger = context.logger;
  }

  extract({ payload, endpoint }: PollInput<PrometheusPage>): void {
    const specs = this.#sources.of(engineOf(endpoint.metadata.labels, this.#labelKey));
    const newest = findNewest(payload, specs, this.#clock.now());
    const memory = this.#memories.get(endpoint.id);
    if (newest !== undefined) (memory ?? this.#remember(endpoint.id)).apply(endpoint, newest);
    else if (memory?.miss(endpoint))
      this.#logger.info({ endpoint: endpoint.id }, "the page no longer lists LoRA adapters");
  }

  release(endpointId: string): void {
    this.#memories.delete(endpointId);
  }

  #remember(endpointId: string): EndpointMemory {
    const memory = new EndpointMemory();
    this.#memories.set(endpointId, memory);
    return memory;
  }
}
