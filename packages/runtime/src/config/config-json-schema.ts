import type { PluginRegistry } from "../registry/plugin-registry.ts";
import { configSchema, endpointPickerSchema } from "./envelope.ts";
import { type JsonSchema, jsonSchemaOf } from "./json-schema.ts";

/**
 * JSON Schema (2020-12) of a configuration file, for editors: both kinds, and in a MusterConfig the
 * parameters of every plugin of the registry by its type. What it lets through `loadConfig` may still
 * refuse, since not every rule fits into a schema.
 */
export function configJsonSchema(registry: PluginRegistry): JsonSchema {
  const types = [...registry.types()].sort();
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Muster configuration",
    type: "object",
    required: ["kind"],
    properties: { kind: { enum: ["MusterConfig", "EndpointPickerConfig"] } },
    if: { properties: { kind: { const: "EndpointPickerConfig" } } },
    // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema
    then: open(embedded(jsonSchemaOf(endpointPickerSchema))),
    else: withParameters(embedded(jsonSchemaOf(configSchema)), types),
    $defs: Object.fromEntries(types.map((type) => [type, parametersOf(type, registry)])),
  };
}

/** Without what may stand at the root only. */
function embedded({ $schema, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** llm-d's format has more sections than are looked at, and grows. */
function open(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = schema;
  return rest;
}

/** Adds to the entries of `plugins` that the parameters are those of their type. */
function withParameters(schema: JsonSchema, types: readonly string[]): JsonSchema {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const entry = {
    allOf: types.map((type) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema
      then: { properties: { parameters: { $ref: `#/$defs/${pointer(type)}` } } },
    })),
  };
  const plugins = { allOf: [properties.plugins, { items: entry }] };
  return { ...schema, properties: { ...properties, plugins } };
}

function parametersOf(type: string, registry: PluginRegistry): JsonSchema {
  const definition = registry.get(type);
  const { $schema, ...schema } = definition ? jsonSchemaOf(definition.configSchema) : {};
  const description = definition?.description;
  // with an id of its own, references inside it start there and not at the root
  const id = JSON.stringify(schema).includes('"$ref"') && { $id: `muster:plugin:${type}` };
  return {
    ...(description && { description }),
    anyOf: [{ ...id, ...schema }, { type: "null" }],
  };
}

function pointer(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}
