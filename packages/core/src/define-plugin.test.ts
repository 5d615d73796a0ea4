import { describe, expect, it, vi } from "vitest";
import { attributeKey } from "./attribute-map.ts";
import type { PluginContext } from "./context.ts";
import {
  apiVersion,
  definePlugin,
  definitionOf,
  isPluginDefinition,
  type PluginDefinition,
  type PluginInit,
} from "./define-plugin.ts";
import { MusterError } from "./errors.ts";
import { type TypedName, typedName } from "./names.ts";
import type { Plugin } from "./plugin.ts";
import { producedAttributes } from "./produced-attributes.ts";
import type { StandardSchema } from "./standard-schema.ts";

interface Config {
  readonly size?: number | undefined;
}

const schema: StandardSchema<Config> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const { size } = value as Config;
      if (size === undefined || typeof size === "number") return { value: { size } };
      return {
        issues: [
          { message: "must be a number", path: ["size"] },
          { message: "must be even", path: [{ key: "list" }, 2, "deep"] },
          { message: "bad as a whole" },
        ],
      };
    },
  },
};

type Init = PluginInit<"generic", Plugin & { config: Config }, Config, Config>;
const init: Init = {
  kind: "generic",
  type: "sizer",
  configSchema: schema,
  create: (config, context) => ({ typedName: context.typedName, config }),
};
const invalid = expect.objectContaining({ code: "PLUGIN_INVALID" });

describe("definePlugin", () => {
  it("gives a frozen, branded definition stamped with the version of the contract", () => {
    const key = attributeKey<number>("size");
    const produces = [key];
    const definition = definePlugin({ ...init, produces, consumes: [{ key }] });
    produces.pop();
    expect(definition).toMatchObject({
      kind: "generic",
      type: "sizer",
      apiVersion,
      description: "",
    });
    expect(definition.produces).toEqual([key]);
    for (const part of [definition, definition.produces, definition.consumes])
      expect(Object.isFrozen(part)).toBe(true);
    expect(isPluginDefinition(definition)).toBe(true);
    expect(Object.getOwnPropertySymbols(definition)).toContain(
      Symbol.for("muster.plugin-definition"),
    );
  });

  it.each(["", "Sizer", "1size", "a b", "a/b/c", "a_b", "../x"])("refuses the type %j", (type) => {
    expect(() => definePlugin({ ...init, type })).toThrow(invalid);
  });

  it("takes a vendor's type, refuses an unknown kind", () => {
    expect(definePlugin({ ...init, type: "acme/sizer" }).type).toBe("acme/sizer");
    for (const kind of ["thing", "toString"])
      expect(() => definePlugin({ ...init, kind: kind as "generic" })).toThrow(invalid);
  });

  it("is no definition when copied or made by hand", () => {
    for (const value of [{ ...definePlugin(init) }, null, "x", init])
      expect(isPluginDefinition(value)).toBe(false);
  });
});

describe("create", () => {
  it("section 1: names the instance after the context, by default after the type", () => {
    const definition = definePlugin(init);
    expect(definition.create().typedName).toEqual(typedName("sizer"));
    expect(definition.create({}, { name: "mine" }).typedName).toEqual(typedName("sizer", "mine"));
  });

  it("takes no configuration as an empty one", () => {
    expect(definePlugin(init).create().config).toEqual({ size: undefined });
  });

  it("passes the context on and fills it with silent defaults", () => {
    const create = vi.fn(init.create);
    const definition = definePlugin({ ...init, create });
    const { signal } = new AbortController();
    definition.create({}, { signal });
    const context = create.mock.calls[0]?.[1] as PluginContext & { typedName: TypedName };
    expect(context.signal).toBe(signal);
    context.logger.info({}, "nobody hears");
    context.metrics.counter({ name: "n", help: "" }).add(1);
    context.metrics.gauge({ name: "g", help: "" }).set(1);
    context.metrics.gauge({ name: "g", help: "" }).remove({});
    context.metrics.histogram({ name: "h", help: "" }).observe(1);
    const { endpoints } = context;
    expect([
      endpoints.list(),
      endpoints.byPod("a", "b"),
      endpoints.get("a/b"),
      endpoints.writer("a/b"),
    ]).toEqual([[], [], undefined, undefined]);
  });

  it("remembers which definition made an instance", () => {
    const key = attributeKey<number>("size");
    const definition = definePlugin({ ...init, produces: [key] });
    const instance = definition.create();
    expect(definitionOf(instance)).toBe(definition);
    expect(definitionOf({ typedName: typedName("by-hand") })).toBeUndefined();
    expect(producedAttributes(instance)).toEqual(new Set(["size"]));
    expect(Object.keys(instance)).toEqual(["typedName", "config"]);
  });

  it("reports all problems of a configuration at once, each with its path", () => {
    const create = (): unknown => definePlugin(init).create({ size: "x" } as never);
    expect(create).toThrow(
      "sizer: size: must be a number; list[2].deep: must be even; bad as a whole",
    );
    expect(create).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        problems: [
          expect.objectContaining({ path: "size", message: "must be a number" }),
          expect.objectContaining({ path: "list[2].deep" }),
          expect.objectContaining({ path: "" }),
        ],
      }),
    );
  });

  it("wraps what create throws, keeps a MusterError", () => {
    const failing = (error: unknown): PluginDefinition =>
      definePlugin({
        ...init,
        create: () => {
          throw error;
        },
      });
    const cause = new TypeError("oops");
    expect(() => failing(cause).create()).toThrow(
      expect.objectContaining({ code: "PLUGIN_CREATE", plugin: typedName("sizer"), cause }),
    );
    const own = new MusterError("CONFIG_READ", "no file");
    expect(() => failing(own).create()).toThrow(own);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a promise", Promise.resolve({})],
    ["an object without a name", {}],
    ["a frozen object", Object.freeze({ typedName: typedName("sizer") })],
  ])("refuses %s as an instance", (_what, instance) => {
    const definition = definePlugin({ ...init, create: () => instance as never });
    expect(() => definition.create()).toThrow(invalid);
  });

  it("refuses a schema that answers later", () => {
    const later: StandardSchema<Config> = {
      "~standard": { version: 1, vendor: "test", validate: async () => ({ value: {} }) },
    };
    expect(() => definePlugin({ ...init, configSchema: later }).create()).toThrow(invalid);
  });
});

describe("producedAttributes", () => {
  it("is anything for a plugin made by hand that declares nothing", () => {
    expect(producedAttributes({ typedName: typedName("x") })).toBeUndefined();
  });

  it("joins what the definition and the instance declare", () => {
    const [a, b] = [attributeKey<number>("a"), attributeKey<number>("b")];
    const definition = definePlugin({
      ...init,
      produces: [a],
      create: (config, { typedName: name }) => ({ typedName: name, config, produces: [b] }),
    });
    expect(producedAttributes(definition.create())).toEqual(new Set(["a", "b"]));
    expect(producedAttributes({ typedName: typedName("x"), produces: [b] })).toEqual(
      new Set(["b"]),
    );
  });
});
