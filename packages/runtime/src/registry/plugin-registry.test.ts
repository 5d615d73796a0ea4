import { definePlugin, type PluginDefinition } from "@muster/core";
import { describe, expect, it } from "vitest";
import { anything } from "../../test/support/plugins.ts";
import { createPluginRegistry } from "./plugin-registry.ts";
import { describeUnknownType } from "./unknown-type.ts";

const define = (type: string): PluginDefinition =>
  definePlugin({
    ...{ kind: "generic", type, configSchema: anything },
    create: (_, { typedName }) => ({ typedName }),
  });

describe("createPluginRegistry", () => {
  it("finds definitions by type and keeps their order", () => {
    const [b, a] = [define("b-plugin"), define("a-plugin")];
    const registry = createPluginRegistry([b]);
    registry.add(a);
    expect(registry.types()).toEqual(["b-plugin", "a-plugin"]);
    expect(registry.get("a-plugin")).toBe(a);
    expect(registry.get("constructor")).toBeUndefined();
  });

  it("takes the same definition again, and refuses another of its type", () => {
    const registry = createPluginRegistry([define("a-plugin")]);
    const known = registry.get("a-plugin") as PluginDefinition;
    expect(() => registry.add(known)).not.toThrow();
    expect(() => registry.add(define("a-plugin"))).toThrow(
      expect.objectContaining({
        code: "PLUGIN_DUPLICATE",
        message: 'two plugins have the type "a-plugin"; register one of them',
      }),
    );
  });

  it.each([
    [undefined, "undefined is no plugin definition"],
    [null, "null is no plugin definition"],
    [[], "a list is no plugin definition"],
    [() => undefined, "a value of type function is no plugin definition"],
    [{ ...define("a-plugin") }, "a value of type object is no plugin definition"],
  ])("refuses %s", (value, text) => {
    expect(() => createPluginRegistry([value as PluginDefinition])).toThrow(
      expect.objectContaining({ code: "PLUGIN_INVALID", message: expect.stringContaining(text) }),
    );
  });

  it("refuses a definition for another plugin API", () => {
    const older = Object.defineProperty(
      { ...define("a-plugin"), apiVersion: "muster/v0" },
      Symbol.for("muster.plugin-definition"),
      { value: true },
    );
    expect(() => createPluginRegistry([older])).toThrow(
      expect.objectContaining({
        code: "PLUGIN_API_VERSION",
        message: expect.stringContaining(
          "was made for plugin API muster/v0, this runtime has muster/v1",
        ),
      }),
    );
  });
});

describe("describeUnknownType", () => {
  const registry = createPluginRegistry([define("acme-source"), define("beta-source")]);

  it("suggests a known type, ours included, and lists what there is", () => {
    expect(describeUnknownType("acme-sourc", registry)).toBe(
      'no plugin of type "acme-sourc" (did you mean "acme-source"?); known: acme-source, beta-source',
    );
    expect(describeUnknownType("lora-extracter", registry)).toContain(
      'did you mean "lora-extractor"?',
    );
    expect(describeUnknownType("zzz", undefined)).toBe('no plugin of type "zzz"; known: none');
  });

  it.each([
    ["file-discovery", "@muster/discovery-file"],
    ["kv-discovery", "@muster/discovery-kv"],
    ["k8s-discovery", "@muster/discovery-k8s"],
    ["k8s-notification-source", "@muster/discovery-k8s"],
    ["k8s-object-watcher", "@muster/discovery-k8s"],
    ["metrics-data-source", "@muster/source-prometheus"],
    ["core-metrics-extractor", "@muster/extractors-metrics"],
    ["lora-extractor", "@muster/extractors-lora"],
  ])("names the package of %s", (type, name) => {
    expect(describeUnknownType(type, registry)).toBe(
      `no plugin of type "${type}": it is provided by ${name}; install that package and register its plugin`,
    );
  });
});
