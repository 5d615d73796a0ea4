import { definePlugin, type PluginDefinition } from "@muster/core";
import { engineState } from "@muster/core/attributes";
import { type CoreMetricsConfig, configSchema } from "./config.ts";
import { type CoreMetricsExtractor, createCoreMetricsExtractor } from "./extractor.ts";

/**
 * The plugin `core-metrics-extractor`: from a Prometheus page to an endpoint's queue, running
 * requests, KV cache and custom scalars, for every engine in {@link engines} and those configured.
 * An endpoint is fresh when its page has any metric of a known engine; else `extract` throws
 * EXTRACT_NO_ENGINE and writes nothing.
 */
const coreMetrics: PluginDefinition<
  "extractor",
  CoreMetricsExtractor,
  CoreMetricsConfig | undefined
> = definePlugin({
  kind: "extractor",
  type: "core-metrics-extractor",
  description: "Queue, running requests, KV cache and custom scalars from a metrics page.",
  configSchema,
  produces: [engineState],
  create: createCoreMetricsExtractor,
});

export default coreMetrics;
