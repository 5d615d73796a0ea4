/** zod's schemas fit core's StandardSchema, and types flow from them into `create`. Never run. */
import {
  definePlugin,
  type Plugin,
  type PluginDefinition,
  type StandardSchema,
} from "@muster/core";
import { z } from "zod";

const strict = z.strictObject({
  path: z.string().describe("File."),
  watch: z.boolean().default(false),
});
const lenient = z.strictObject({
  interval: z.union([z.string(), z.number()]).default("1s"),
  tls: z.strictObject({ verify: z.boolean().default(true) }).optional(),
});

interface Input {
  readonly path: string;
  readonly watch?: boolean | undefined;
}
interface Output {
  readonly path: string;
  readonly watch: boolean;
}

export const annotated: StandardSchema<Input, Output> = strict;
// @ts-expect-error the schema lets `watch` out, not `watching`
export const wrong: StandardSchema<Input, { readonly watching: boolean }> = strict;

interface Made extends Plugin {
  readonly text: string;
}

export function infer(): readonly PluginDefinition[] {
  const file = definePlugin({
    kind: "generic",
    type: "file-reader",
    configSchema: strict,
    create: ({ path, watch }, { typedName }): Made => ({ typedName, text: `${path} ${watch}` }),
  });
  const poller = definePlugin({
    kind: "generic",
    type: "poller",
    configSchema: lenient,
    // @ts-expect-error the default has made `interval` certain, but it may still be a number
    create: ({ interval }, { typedName }): Made => ({ typedName, text: interval }),
  });
  const text: string = file.create({ path: "a" }).text;
  // @ts-expect-error `path` is required
  file.create();
  // @ts-expect-error `path` is text
  file.create({ path: 5 });
  // @ts-expect-error there is no such key
  file.create({ path: text, watching: true });
  poller.create();
  poller.create({ tls: {} });
  return [file, poller];
}
