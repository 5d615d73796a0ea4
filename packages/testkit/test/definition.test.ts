import { definePlugin, type PluginDefinition, type StandardSchema } from "@muster/core";
import { type DefinitionHarness, describeDefinition } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failuresOf } from "./collect.ts";

const schema = z.strictObject({
  port: z.number().int().min(1).default(8000).describe("Port to ask."),
  tags: z.array(z.string()).default([]).describe("Tags to look for."),
});

function define(configSchema: StandardSchema<object, object>): PluginDefinition<"generic"> {
  return definePlugin({
    kind: "generic",
    type: "port-watcher",
    configSchema,
    create: (config, { typedName }) => ({ typedName, config }),
  });
}

function harnessOf(definition: PluginDefinition): DefinitionHarness {
  return {
    definition,
    valid: [{}, { port: 80, tags: ["a"] }],
    invalid: [
      { config: { port: 0 }, path: "port" },
      { config: { tags: ["a", 2] }, path: "tags[1]" },
    ],
  };
}

describeDefinition({ describe, it }, harnessOf(define(schema)));

/** The definition with one member replaced, still branded. */
function changed(
  change: (definition: PluginDefinition) => Partial<PluginDefinition>,
): PluginDefinition {
  const definition: PluginDefinition = define(schema);
  const members = Object.getOwnPropertyDescriptors({ ...definition, ...change(definition) });
  const brands = Object.getOwnPropertyDescriptors(definition);
  return Object.freeze(Object.defineProperties({}, { ...brands, ...members })) as PluginDefinition;
}

const creates = "creates working instances of its kind from each valid configuration";

describe("the definition suite fails a definition that", () => {
  const cases: [what: string, definition: PluginDefinition, test: string][] = [
    [
      "was made by hand",
      { ...define(schema) },
      "is branded, frozen and made for this version of the contract",
    ],
    [
      "is made for another version",
      changed(() => ({ apiVersion: "muster/v0" })),
      "is branded, frozen and made for this version of the contract",
    ],
    ["is of another kind than it says", changed(() => ({ kind: "discovery" })), creates],
    [
      "cannot be stopped twice",
      changed((definition) => ({
        create: (...args) => {
          let stopped = 0;
          const stop = (): void => {
            if (stopped++ > 0) throw new Error("stopped already");
          };
          return Object.assign(definition.create(...args), { stop });
        },
      })),
      creates,
    ],
    [
      "ignores the name it is given",
      changed((definition) => ({ create: (config) => definition.create(config) })),
      "names instances after the context, by default after its type",
    ],
    [
      "takes a bad value",
      define(
        z.strictObject({ port: z.number().default(1), tags: z.array(z.unknown()).default([]) }),
      ),
      'refuses {"port":0} and says where',
    ],
    [
      "takes keys it does not know",
      define(z.object(schema.shape)),
      "refuses keys it does not know, __proto__ too",
    ],
    [
      "leaves keys without description",
      define(z.strictObject({ ...schema.shape, secret: z.string().default("") })),
      "describes every key of its configuration",
    ],
  ];
  it.each(cases)("%s", async (_what, definition, test) => {
    const failures = await failuresOf((api) => describeDefinition(api, harnessOf(definition)));
    expect(failures).toContain(test);
  });
});
