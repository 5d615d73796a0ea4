import { definePlugin, type PluginDefinition } from "@muster/core";
import { loraState } from "@muster/core/attributes";
import type { PrometheusExtractor } from "@muster/core/prometheus";
import { configSchema, type LoraConfig } from "./config.ts";
import { createLoraExtractor } from "./extractor.ts";

/**
 * The plugin `lora-extractor`: which LoRA adapters a model server runs and waits for, from a
 * Prometheus page. A page without such a metric is no error; `extract` throws EXTRACT_FAILED when
 * part of the metric makes no sense, the rest of it having been written.
 */
const lora: PluginDefinition<"extractor", PrometheusExtractor, LoraConfig | undefined> =
  definePlugin({
    kind: "extractor",
    type: "lora-extractor",
    description: "LoRA adapters that a model server runs and waits for, from a metrics page.",
    configSchema,
    produces: [loraState],
    create: createLoraExtractor,
  });

export default lora;
