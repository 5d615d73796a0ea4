import { definePlugin } from "@muster/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { testRegistry } from "../../test/support/definitions.ts";
import { anything } from "../../test/support/plugins.ts";
import { configJsonSchema } from "./config-json-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

interface Composed {
  $defs: Record<string, { anyOf: JsonSchema[]; description?: string }>;
  then: { properties: Record<string, JsonSchema>; additionalProperties?: unknown };
  else: {
    additionalProperties: unknown;
    properties: { plugins: { allOf: [JsonSchema, { items: { allOf: JsonSchema[] } }] } };
  };
}

const composed = (registry = testRegistry()): Composed =>
  configJsonSchema(registry) as unknown as Composed;

describe("configJsonSchema", () => {
  it("describes the parameters of every plugin of the registry, by type", () => {
    const { $defs, else: muster } = composed();
    expect(Object.keys($defs)).toEqual([...testRegistry().types()].sort());
    expect($defs["file-discovery"]?.anyOf[0]).toMatchObject({
      properties: { path: { type: "string" }, watchFile: { default: false } },
      required: ["path"],
      additionalProperties: false,
    });
    expect(muster.properties.plugins.allOf[1].items.allOf).toContainEqual({
      if: { properties: { type: { const: "file-discovery" } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema
      then: { properties: { parameters: { $ref: "#/$defs/file-discovery" } } },
    });
  });

  it("is strict for a MusterConfig and open for llm-d's file", () => {
    const schema = composed();
    expect(schema.else.additionalProperties).toBe(false);
    expect(schema.then.additionalProperties).toBeUndefined();
    expect(Object.keys(schema.then.properties)).toContain("dataLayer");
  });

  it("lets anything through for a plugin that does not describe itself", () => {
    const vague = definePlugin({
      kind: "generic",
      type: "vague",
      description: "Who knows.",
      configSchema: anything,
      create: (_, { typedName }) => ({ typedName }),
    });
    expect(composed(testRegistry(vague)).$defs.vague).toEqual({
      description: "Who knows.",
      anyOf: [{}, { type: "null" }],
    });
  });

  it("keeps references of a plugin's schema inside it", () => {
    const tree: z.ZodType = z.strictObject({
      get children() {
        return z.array(tree).optional();
      },
    });
    const recursive = definePlugin({
      kind: "generic",
      type: "acme/tree",
      configSchema: z.strictObject({ tree }),
      create: (_, { typedName }) => ({ typedName }),
    });
    const schema = composed(testRegistry(recursive));
    expect(schema.$defs["acme/tree"]?.anyOf[0]).toMatchObject({ $id: "muster:plugin:acme/tree" });
    expect(JSON.stringify(schema.else)).toContain('"#/$defs/acme~1tree"');
  });

  it("describes every key of its own", () => {
    const undescribed: string[] = [];
    const walk = (schema: JsonSchema, path: string): void => {
      for (const [key, value] of Object.entries(
        (schema.properties ?? {}) as Record<string, JsonSchema>,
      )) {
        if (!JSON.stringify(value).includes('"description"')) undescribed.push(`${path}${key}`);
        walk(value, `${path}${key}.`);
      }
      if (schema.items) walk(schema.items as JsonSchema, `${path}[].`);
      for (const part of (schema.anyOf ?? []) as JsonSchema[]) walk(part, path);
    };
    const { plugins, ...rest } = composed().else.properties;
    walk({ properties: { ...rest, plugins: plugins.allOf[0] } }, "");
    expect(undescribed).toEqual([]);
  });
});
