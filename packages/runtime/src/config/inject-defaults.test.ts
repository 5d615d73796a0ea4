import { describe, expect, it } from "vitest";
import { configOf, definitions, testRegistry } from "../../test/support/definitions.ts";
import { createPluginRegistry } from "../registry/plugin-registry.ts";
import type { LoadedConfig } from "./loaded-config.ts";
import { parseConfig } from "./parse-config.ts";

const head = [
  "apiVersion: muster/v1",
  "kind: MusterConfig",
  "discovery: {pluginRef: file-discovery}",
  "plugins:",
  "- {type: file-discovery, parameters: {path: x}}",
];

function parse(lines: string[], registry = testRegistry()): Promise<LoadedConfig> {
  return parseConfig([...head, ...lines].join("\n"), { file: "f", registry });
}

function sourcesOf({ runtime }: LoadedConfig): string[] {
  return runtime.sources.map(({ source, extractors = [] }) => {
    const names = extractors.map(({ typedName: { name } }) => name);
    return `${source.typedName.name} <- ${names.join(", ")}`;
  });
}

describe("injectDefaults", () => {
  it("adds the metrics source, the core extractor and the LoRA extractor", async () => {
    const loaded = await parse([]);
    expect(sourcesOf(loaded)).toEqual([
      "metrics-data-source <- core-metrics-extractor, lora-extractor",
    ]);
    expect(loaded.plugins.filter(({ place }) => place === undefined)).toHaveLength(3);
  });

  it.each([
    ["false", []],
    ["true", ["metrics-data-source <- core-metrics-extractor, lora-extractor"]],
  ])("%s does as it says", async (value, sources) => {
    expect(sourcesOf(await parse([`dataLayer: {injectDefaults: ${value}}`]))).toEqual(sources);
  });

  it("takes plugins that are declared and wired up nowhere, with their parameters", async () => {
    const loaded = await parse([
      "- {name: metrics, type: metrics-data-source, parameters: {scheme: https}}",
      "- {name: core, type: core-metrics-extractor}",
      "- {name: lora, type: lora-extractor, parameters: {defaultEngine: sglang}}",
    ]);
    expect(sourcesOf(loaded)).toEqual(["metrics <- core, lora"]);
    expect(configOf(loaded.runtime.sources[0]?.source)).toMatchObject({ scheme: "https" });
    expect(loaded.warnings).toEqual([]);
  });

  it("fills a source that has no extractors", async () => {
    const loaded = await parse([
      "- {name: a, type: metrics-data-source}",
      "- {name: b, type: metrics-data-source}",
      "- {name: lora, type: lora-extractor}",
      "dataLayer: {sources: [{pluginRef: a, extractors: [{pluginRef: lora}]}, {pluginRef: b}]}",
    ]);
    expect(sourcesOf(loaded)).toEqual(["a <- lora", "b <- core-metrics-extractor"]);
  });

  it("puts the LoRA extractor where the core extractor is, and no second metrics source", async () => {
    const loaded = await parse([
      "- {name: a, type: metrics-data-source}",
      "- {name: b, type: metrics-data-source}",
      "dataLayer: {sources: [{pluginRef: a}, {pluginRef: b, extractors: [{pluginRef: core-metrics-extractor}]}]}",
    ]);
    expect(sourcesOf(loaded)).toEqual(["a <- ", "b <- core-metrics-extractor, lora-extractor"]);
  });

  it("leaves a name that is taken to its owner", async () => {
    const loaded = await parse(["- {name: lora-extractor, type: core-metrics-extractor}"]);
    expect(sourcesOf(loaded)).toEqual([
      "metrics-data-source <- lora-extractor, injected-lora-extractor",
    ]);
  });

  it("does not overwrite parameters of the LoRA extractor, and says so", async () => {
    const loaded = await parse([
      "- type: core-metrics-extractor",
      "  parameters: {engineConfigs: [{name: mine, loraSpec: mine_lora}]}",
      "- {type: lora-extractor, parameters: {defaultEngine: vllm}}",
    ]);
    expect(configOf(loaded.runtime.sources[0]?.extractors?.[1])).toMatchObject({
      ...{ defaultEngine: "vllm", engineConfigs: [] },
    });
    expect(loaded.warnings).toEqual([
      'f:7:31: plugins[1].parameters.engineConfigs: loraSpec is not used: "lora-extractor" has parameters of its own',
    ]);
  });

  it("reports a bad loraSpec, or engine, once, where it is written", async () => {
    const loading = parse([
      "- type: core-metrics-extractor",
      "  parameters: {engineConfigs: [{name: default, loraSpec: 7}]}",
    ]);
    await expect(loading).rejects.toMatchObject({
      problems: [
        {
          path: "f:7:39: plugins[1].parameters.engineConfigs[0].name",
          message: '"default" is reserved',
        },
        { path: "f:7:58: plugins[1].parameters.engineConfigs[0].loraSpec" },
      ],
    });
  });

  it("names the package to install when a default plugin is not there", async () => {
    const registry = createPluginRegistry(
      definitions.filter(({ type }) => type === "file-discovery"),
    );
    await expect(parse([], registry)).rejects.toMatchObject({
      problems: [
        {
          code: "PLUGIN_UNKNOWN",
          message:
            'injectDefaults needs "metrics-data-source": no plugin of type "metrics-data-source": it is provided by @muster/source-prometheus; install that package and register its plugin',
        },
        { message: expect.stringContaining("@muster/extractors-metrics") },
      ],
    });
  });

  it("does without LoRA when its extractor is not there, and says so", async () => {
    const registry = createPluginRegistry(
      definitions.filter(({ type }) => type !== "lora-extractor"),
    );
    const loaded = await parse([], registry);
    expect(sourcesOf(loaded)).toEqual(["metrics-data-source <- core-metrics-extractor"]);
    expect(loaded.warnings).toEqual([
      'f:1:1: no plugin of type "lora-extractor" is installed: LoRA adapters are not read',
    ]);
  });
});
