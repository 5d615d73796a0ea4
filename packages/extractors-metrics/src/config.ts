import type { StandardSchema } from "@muster/core";
import { isMusterError, messageOf } from "@muster/core";
import { engineLabel, parseMetricSpec } from "@muster/core/prometheus";
import { z } from "zod";
import type { CustomMetric } from "./engine-definition.ts";
import { engines } from "./engines.ts";

/** How a user describes an engine, with llm-d's parameter names; an empty spec is an absent one. */
export interface EngineConfig {
  readonly name: string;
  readonly queuedRequestsSpec?: string | undefined;
  readonly runningRequestsSpec?: string | undefined;
  readonly kvUsageSpec?: string | undefined;
  readonly loraSpec?: string | undefined;
  readonly cacheInfoSpec?: string | undefined;
  readonly cacheBlockSizeLabelName?: string | undefined;
  readonly cacheNumBlocksLabelName?: string | undefined;
  readonly cacheBlockSizeSpec?: string | undefined;
  readonly cacheNumBlocksSpec?: string | undefined;
  readonly customMetrics?: readonly CustomMetric[] | undefined;
}

/** Configuration of the core metrics extractor. */
export interface CoreMetricsConfig {
  readonly engineLabelKey?: string | undefined;
  readonly defaultEngine?: string | undefined;
  readonly engineConfigs?: readonly EngineConfig[] | undefined;
}

/** {@link EngineConfig} with its defaults. */
export type CheckedEngineConfig = EngineConfig & {
  readonly cacheBlockSizeLabelName: string;
  readonly cacheNumBlocksLabelName: string;
  readonly customMetrics: readonly CustomMetric[];
};

/** {@link CoreMetricsConfig} with its defaults. */
export interface CheckedConfig {
  readonly engineLabelKey: string;
  readonly defaultEngine?: string | undefined;
  readonly engineConfigs: readonly CheckedEngineConfig[];
}

/** Attributes that mean something else to every reader. */
const reservedAttributes = new Set(["engine", "lora"]);

const spec = (what: string, emptyIsNone = true): z.ZodString =>
  z
    .string()
    .refine((text) => (emptyIsNone && text === "") || problemOf(text) === undefined, {
      error: (issue) => problemOf(String(issue.input)),
    })
    .describe(`${what}: \`name{label=value}\`, quotes optional`);

const customMetric = z.strictObject({
  attributeKey: z
    .string()
    .min(1)
    .max(253)
    .refine((key) => !reservedAttributes.has(key), 'must not be "engine" or "lora"')
    .describe("Name of the attribute that holds the number"),
  metricSpec: spec("Series to read, gauge or counter", false),
});

const engineConfig = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(253)
    .refine((name) => name !== "default", '"default" is reserved')
    .describe("What the engine label says; a built-in name replaces that engine whole"),
  queuedRequestsSpec: spec("Requests waiting").optional(),
  runningRequestsSpec: spec("Requests running").optional(),
  kvUsageSpec: spec("KV cache usage, 0..1").optional(),
  loraSpec: spec("LoRA adapters; read by `lora-extractor`, not here").optional(),
  cacheInfoSpec: spec("Series whose labels hold the cache geometry").optional(),
  cacheBlockSizeLabelName: z
    .string()
    .default("block_size")
    .describe("Label of `cacheInfoSpec` with the tokens per block"),
  cacheNumBlocksLabelName: z
    .string()
    .default("num_gpu_blocks")
    .describe("Label of `cacheInfoSpec` with the number of blocks"),
  cacheBlockSizeSpec: spec("Tokens per block, as a value").optional(),
  cacheNumBlocksSpec: spec("Number of blocks, as a value").optional(),
  customMetrics: z
    .array(customMetric)
    .max(64)
    .default([])
    .superRefine((metrics, context) =>
      refuseTwice(context, metrics, "attributeKey", (metric) => metric.attributeKey),
    )
    .describe("Scalars that become attributes of the endpoint"),
});

const config = z
  .strictObject({
    engineLabelKey: z
      .string()
      .min(1)
      .max(317)
      .default(engineLabel)
      .describe("Label of the endpoint that names its engine"),
    defaultEngine: z
      .string()
      .optional()
      .describe("Engine of endpoints without that label, where it fits the page; unset: detected"),
    engineConfigs: z
      .array(engineConfig)
      .max(64)
      .default([])
      .superRefine((configs, context) => refuseTwice(context, configs, "name", (one) => one.name))
      .describe("Engines beside, or instead of, the built-in ones"),
  })
  .superRefine(({ defaultEngine, engineConfigs }, context) => {
    if (defaultEngine === undefined) return;
    const names = new Set([...engines, ...engineConfigs].map((engine) => engine.name));
    if (names.has(defaultEngine)) return;
    const message = `no engine "${defaultEngine}"; known: ${[...names].join(", ")}`;
    context.addIssue({ code: "custom", path: ["defaultEngine"], message });
  })
  .prefault({});

/** Checks {@link CoreMetricsConfig} and fills in the defaults. */
export const configSchema: StandardSchema<CoreMetricsConfig | undefined, CheckedConfig> = config;

function problemOf(text: string): string | undefined {
  try {
    parseMetricSpec(text);
    return undefined;
  } catch (error) {
    if (isMusterError(error)) return messageOf(error);
    throw error;
  }
}

function refuseTwice<T>(
  context: z.core.$RefinementCtx,
  items: readonly T[],
  field: string,
  nameOf: (item: T) => string,
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const name = nameOf(item);
    if (seen.has(name))
      context.addIssue({
        code: "custom",
        path: [index, field],
        message: `"${name}" is there twice`,
      });
    seen.add(name);
  }
}
