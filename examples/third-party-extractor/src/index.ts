import { definePlugin, type PluginDefinition, type StandardSchema } from "@muster/core";
import { z } from "zod";
import { FirstTokenExtractor } from "./extractor.js";
import { firstToken } from "./first-token.js";

export { type FirstToken, firstToken } from "./first-token.js";

/** What users may write under `parameters:`. */
export interface Config {
  readonly family?: string | undefined;
}

const configSchema: StandardSchema<Config, { family: string }> = z.strictObject({
  family: z
    .string()
    .min(1)
    .default("vllm:time_to_first_token_seconds")
    .describe("Histogram of the seconds until the first token."),
});

const definition: PluginDefinition<"extractor", FirstTokenExtractor, Config> = definePlugin({
  kind: "extractor",
  type: "acme-first-token-extractor",
  description: "Reads how long requests wait for their first token.",
  configSchema,
  produces: [firstToken],
  create: ({ family }, { typedName }) => new FirstTokenExtractor(typedName, family),
});

export default definition;
