import { isMusterError, messageOf, type StandardSchema } from "@muster/core";
import { engineLabel, parseMetricSpec } from "@muster/core/prometheus";
import { z } from "zod";

/** Where one engine reports its adapters. */
export interface LoraEngineConfig {
  readonly name: string;
  readonly loraSpec?: string | undefined;
}

/** Configuration of the LoRA extractor. */
export interface LoraConfig {
  readonly engineLabelKey?: string | undefined;
  readonly defaultEngine?: string | undefined;
  readonly engineConfigs?: readonly LoraEngineConfig[] | undefined;
}

/** {@link LoraConfig} with its defaults. */
export interface CheckedConfig {
  readonly engineLabelKey: string;
  readonly defaultEngine?: string | undefined;
  readonly engineConfigs: readonly LoraEngineConfig[];
}

const engineConfig = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(253)
    .refine((name) => name !== "default", '"default" is reserved')
    .describe("What the engine label says; a built-in name replaces that engine"),
  loraSpec: z
    .string()
    .refine((text) => text === "" || problemOf(text) === undefined, {
      error: (issue) => problemOf(String(issue.input)),
    })
    .optional()
    .describe("Series that list the adapters: `name{label=value}`; empty: the engine has none"),
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
      .describe("Engine whose metric is looked for first where that label is missing"),
    engineConfigs: z
      .array(engineConfig)
      .max(64)
      .default([])
      .superRefine((engines, context) => {
        const names = engines.map((engine) => engine.name);
        for (const [index, name] of names.entries())
          if (names.indexOf(name) !== index)
            context.addIssue({
              code: "custom",
              path: [index, "name"],
              message: `"${name}" is there twice`,
            });
      })
      .describe("Engines beside, or instead of, the built-in ones"),
  })
  .prefault({});

/** Checks {@link LoraConfig} and fills in the defaults. */
export const configSchema: StandardSchema<LoraConfig | undefined, CheckedConfig> = config;

function problemOf(text: string): string | undefined {
  try {
    parseMetricSpec(text);
    return undefined;
  } catch (error) {
    if (isMusterError(error)) return messageOf(error);
    throw error;
  }
}
