import {
  definePlugin,
  type Plugin,
  type PluginDefinition,
  parseDuration,
  type StandardSchema,
} from "@muster/core";
import { z } from "zod";
import {
  createPluginRegistry,
  endpointNotificationSource,
  type PluginRegistry,
} from "../../src/index.ts";
import {
  discovery,
  endpointSource,
  pollingExtractor,
  pollingSource,
  registrant,
} from "./plugins.ts";

const text = z.string().min(1);
const secret = text.meta({ writeOnly: true });

const engine = z.strictObject({
  name: text.refine((name) => name !== "default", '"default" is reserved'),
  queuedRequestsSpec: z.string().optional(),
  runningRequestsSpec: z.string().optional(),
  kvUsageSpec: z.string().optional(),
  loraSpec: z.string().optional(),
});

const engines = { engineLabelKey: text.optional(), defaultEngine: text.optional() };

/** Keeps on the instance what it was made with, for tests to look at. */
function withConfig<P extends Plugin>(plugin: P, config: unknown): P {
  return Object.assign(plugin, { config });
}

/** What a plugin made from one of these definitions was made with. */
export function configOf(plugin: Plugin | undefined): unknown {
  return (plugin as { config?: unknown } | undefined)?.config;
}

const schemas = {
  "file-discovery": z.strictObject({ path: text, watchFile: z.boolean().default(false) }),
  "metrics-data-source": z.strictObject({
    interval: z.union([z.string(), z.number()]).optional(),
    scheme: z.enum(["http", "https"]).default("http"),
    path: z.string().default("/metrics"),
    insecureSkipVerify: z.boolean().default(false),
    bearerToken: secret.optional(),
    headers: z.record(z.string(), secret).optional(),
  }),
  "core-metrics-extractor": z.strictObject({
    ...engines,
    engineConfigs: z.array(engine).default([]),
  }),
  "lora-extractor": z.strictObject({
    ...engines,
    engineConfigs: z.array(engine.pick({ name: true, loraSpec: true })).default([]),
  }),
} as const;

/** Definitions with llm-d's types and parameters that do no I/O. */
export const definitions: readonly PluginDefinition[] = [
  definePlugin({
    kind: "discovery",
    type: "file-discovery",
    configSchema: schemas["file-discovery"] as StandardSchema<unknown, object>,
    create: (config, { typedName: { type, name } }) =>
      withConfig(discovery(`${type}/${name}`), config),
  }),
  definePlugin({
    kind: "source",
    type: "metrics-data-source",
    configSchema: schemas["metrics-data-source"] as StandardSchema<
      unknown,
      { interval?: string | number }
    >,
    create: (config, { typedName: { type, name } }) => {
      const interval = parseDuration(config.interval ?? "");
      return withConfig(
        pollingSource(`${type}/${name}`, interval === undefined ? {} : { interval }),
        config,
      );
    },
  }),
  ...(["core-metrics-extractor", "lora-extractor"] as const).map((type) =>
    definePlugin({
      kind: "extractor",
      type,
      configSchema: schemas[type] as StandardSchema<unknown, object>,
      create: (config, { typedName: { name } }) =>
        withConfig(pollingExtractor(`${type}/${name}`), config),
    }),
  ),
  definePlugin({
    kind: "source",
    type: "acme-event-source",
    configSchema: z.strictObject({}),
    create: (_, { typedName: { type, name } }) => endpointSource(`${type}/${name}`),
  }),
  definePlugin({
    kind: "generic",
    type: "acme-scorer",
    configSchema: z.strictObject({}),
    create: (_, { typedName: { type, name } }) => registrant(`${type}/${name}`),
  }),
];

/** The definitions of this file, the built-in one and further ones. */
export function testRegistry(...more: readonly PluginDefinition[]): PluginRegistry {
  return createPluginRegistry([...definitions, endpointNotificationSource, ...more]);
}
