import { parseDuration, type StandardSchema } from "@muster/core";
import { z } from "zod";

/** Where the HTTP API listens. */
export interface ServerConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Bearer token that requests must carry. */
  readonly token?: string | undefined;
  /** Whether `/metrics` answers without the token. */
  readonly openMetrics: boolean;
}

/** The part of a MusterConfig beside plugins and data layer, with its defaults. */
export interface Settings {
  readonly interval: string | number;
  readonly pool?: { readonly name: string; readonly namespace: string } | undefined;
  readonly freshness?:
    | {
        readonly staleAfter?: string | number | undefined;
        readonly unreachableAfter?: number | undefined;
      }
    | undefined;
  readonly server: ServerConfig;
}

const text = z.string().min(1).max(253);

const duration = z
  .union([z.string(), z.number()])
  .refine((value) => (parseDuration(value) ?? 0) > 0, {
    error: ({ input }) =>
      `"${String(input)}" is no duration above 0: write 50ms, 1.5s, 1h30m, or milliseconds as a number`,
  });

const reference = z
  .strictObject({
    pluginRef: text.optional().describe("Name of a plugin of kind discovery."),
    endpoints: z
      .strictObject({ pluginRef: text.describe("Name of a plugin of kind discovery.") })
      .optional()
      .describe("The same, as newer llm-d files nest it."),
  })
  .refine(({ pluginRef, endpoints }) => (pluginRef === undefined) !== (endpoints === undefined), {
    error: "give either pluginRef or endpoints.pluginRef",
  });

const extractor = z.strictObject({
  pluginRef: text.describe("Name of a plugin of kind extractor."),
});

const source = z.strictObject({
  pluginRef: text.describe("Name of a plugin of kind source."),
  extractors: z
    .array(extractor)
    .max(100)
    .nullish()
    .describe(
      "Extractors that get the source's payload or events, in the order in which they run.",
    ),
});

const discovery = z
  .union([reference, z.array(reference).min(1).max(100)])
  .describe("What finds the endpoints: one, or several whose endpoints are joined.");

const plugin = z.strictObject({
  type: text.describe("Which plugin."),
  name: text.optional().describe("Name to refer to it by; default: the type."),
  parameters: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe("The plugin's own configuration."),
});

const plugins = z.array(plugin).max(1000).nullish();

const dataLayer = z.strictObject({
  injectDefaults: z
    .boolean()
    .default(true)
    .describe(
      "Add `metrics-data-source`, `core-metrics-extractor` and `lora-extractor` where they are not declared.",
    ),
  discovery: discovery.optional(),
  sources: z
    .array(source)
    .max(100)
    .nullish()
    .describe("What asks the endpoints, or is told of their coming and going."),
});

const endpointPicker = z.strictObject({
  $schema: z.string().optional(),
  apiVersion: z.string().optional(),
  kind: z.literal("EndpointPickerConfig"),
  plugins,
  discovery: discovery.optional(),
  dataLayer: dataLayer.nullish(),
  data: dataLayer.nullish(),
});

const server = z.strictObject({
  host: text
    .default("127.0.0.1")
    .describe("Address to listen on; others than loopback need a token."),
  port: z.int().min(0).max(65535).default(7700).describe("Port to listen on; 0: any free one."),
  token: z
    .string()
    .min(1)
    .optional()
    .meta({ writeOnly: true })
    .describe("Bearer token that requests must carry."),
  openMetrics: z.boolean().default(false).describe("Let `/metrics` answer without the token."),
});

const freshness = z.strictObject({
  staleAfter: duration
    .optional()
    .describe(
      "Age of the last success at which an endpoint is stale; default: 5 intervals, at least 1s.",
    ),
  unreachableAfter: z
    .int()
    .min(1)
    .optional()
    .describe("Failed polls in a row after which an endpoint is unreachable; default: 5."),
});

const muster = z.strictObject({
  $schema: z.string().optional().describe("For editors; not used."),
  apiVersion: z.literal("muster/v1").describe("Version of this format."),
  kind: z.literal("MusterConfig").describe("Tells this format from llm-d's."),
  interval: duration
    .default("1s")
    .describe("Time between polls of an endpoint, for sources that give none."),
  pool: z
    .strictObject({
      name: text.describe("Name of the pool."),
      namespace: text.default("default").describe("Namespace of the pool."),
    })
    .optional()
    .describe("The pool this fleet serves, for labels of metrics."),
  plugins: z
    .array(
      plugin.extend({
        package: text
          .optional()
          .describe(
            "Where the plugin comes from: an npm name, or a path from this file's folder that starts with ./ or ../.",
          ),
      }),
    )
    .max(1000)
    .nullish()
    .describe("The plugins to make."),
  discovery: discovery.optional().describe("The same as `dataLayer.discovery`."),
  dataLayer: dataLayer.nullish().describe("Which plugin does what."),
  freshness: freshness.optional().describe("When an endpoint's numbers stop being trusted."),
  server: server.prefault({}).describe("The HTTP API."),
});

/** What a file of llm-d's has that concerns the data layer; the rest is not looked at. */
export const endpointPickerSchema: StandardSchema<unknown, unknown> = endpointPicker;

/** Schema of a MusterConfig; the parameters of plugins are checked by the plugins. */
export const configSchema: StandardSchema<unknown, Settings> = muster;

/** The API's settings where a configuration has none. */
export function defaultServer(): ServerConfig {
  return server.parse({});
}
