import { definePlugin, type PluginDefinition, type StandardSchema } from "@muster/core";
import { z } from "zod";
import { cost } from "./cost.ts";
import { CostExtractor } from "./extractor.ts";

export { type Cost, cost } from "./cost.ts";

/** What users may write under `parameters:`. */
export interface Config {
  readonly annotation?: string | undefined;
}

const configSchema: StandardSchema<Config, { annotation: string }> = z.strictObject({
  annotation: z
    .string()
    .min(1)
    .default("acme.dev/cost-per-hour")
    .describe("Annotation of a pod that holds its price per hour."),
});

const definition: PluginDefinition<"extractor", CostExtractor, Config> = definePlugin({
  kind: "extractor",
  type: "acme-cost-extractor",
  description: "Tells what the pod of an endpoint costs.",
  configSchema,
  produces: [cost],
  create: ({ annotation }, context) => new CostExtractor(context.typedName, annotation, context),
});

export default definition;
