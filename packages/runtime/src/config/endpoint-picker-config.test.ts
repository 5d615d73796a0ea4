import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { configOf, testRegistry } from "../../test/support/definitions.ts";
import { loadConfig } from "./load-config.ts";
import type { LoadedConfig } from "./loaded-config.ts";
import { parseConfig } from "./parse-config.ts";

const folder = new URL("../../test/fixtures/endpoint-picker/", import.meta.url);

async function load(name: string): Promise<LoadedConfig> {
  const text = await readFile(new URL(name, folder), "utf8");
  return parseConfig(text, { file: name, registry: testRegistry() });
}

function parse(...lines: string[]): Promise<LoadedConfig> {
  const text = ["kind: EndpointPickerConfig", ...lines].join("\n");
  return parseConfig(text, { file: "f", registry: testRegistry() });
}

/** `source <- extractor, extractor` per source. */
function sourcesOf({ runtime }: LoadedConfig): string[] {
  return runtime.sources.map(({ source, extractors = [] }) => {
    const names = extractors.map(({ typedName: { name } }) => name);
    return `${source.typedName.name} <- ${names.join(", ")}`;
  });
}

const defaults = "metrics-data-source <- core-metrics-extractor, lora-extractor";
const noDiscovery = expect.stringMatching(/no discovery is configured/);

describe("an unchanged EndpointPickerConfig", () => {
  it("with file discovery and schedulers gets the default sources and llm-d's interval", async () => {
    const loaded = await load("file-discovery.yaml");
    expect(loaded).toMatchObject({
      kind: "EndpointPickerConfig",
      server: { host: "127.0.0.1", port: 7700, openMetrics: false },
      runtime: { interval: "50ms" },
    });
    expect(loaded.runtime.discovery.map(configOf)).toEqual([
      { path: "/etc/epp/endpoints.yaml", watchFile: true },
    ]);
    expect(sourcesOf(loaded)).toEqual([defaults]);
  });

  it("names what belongs to scheduling in one warning, each thing once", async () => {
    expect((await load("file-discovery.yaml")).warnings).toEqual([
      "file-discovery.yaml:2:1: not used, since Muster does not schedule: sections schedulingProfiles; " +
        "plugin types queue-scorer, kv-cache-utilization-scorer, prefix-cache-scorer, max-score-picker, single-profile-handler",
    ]);
  });

  it("of the older API group and with `data` loads too", async () => {
    const loaded = await load("older.yaml");
    expect(sourcesOf(loaded)).toEqual([defaults]);
    expect(configOf(loaded.runtime.sources[0]?.source)).toMatchObject({
      ...{ scheme: "https", insecureSkipVerify: true },
    });
    expect(loaded.warnings).toEqual([
      noDiscovery,
      expect.stringContaining("sections featureGates, schedulingProfiles, saturationDetector;"),
    ]);
  });

  it("hands loraSpec, and what chooses the engine, to the LoRA extractor, even if nothing is injected", async () => {
    const loaded = await load("engines.yaml");
    expect(sourcesOf(loaded)).toEqual(["serving <- core, lora-extractor"]);
    const [core, lora] = loaded.runtime.sources[0]?.extractors ?? [];
    expect(configOf(core)).toMatchObject({ defaultEngine: "in-house" });
    expect(configOf(lora)).toEqual({
      engineLabelKey: "acme.example/engine",
      defaultEngine: "in-house",
      engineConfigs: [
        { name: "vllm", loraSpec: "vllm:lora_requests_info" },
        { name: "in-house", loraSpec: "" },
      ],
    });
    expect(loaded.runtime.discovery).toHaveLength(1);
  });

  it("in JSON, with a scheduler that listens to endpoint events, loads and says who gets none", async () => {
    const loaded = await load("prefix-cache.json");
    expect(sourcesOf(loaded)).toEqual([defaults, "endpoint-notification-source <- "]);
    expect(loaded.warnings).toEqual([
      expect.stringMatching(
        /sections flowControl, requestHandler, schedulingProfiles; plugin types token-producer, prefix-cache-scorer, max-score-picker$/,
      ),
      'prefix-cache.json:26:39: dataLayer.sources[1].extractors[0].pluginRef: "precise-prefix-cache-producer" gets no events: no plugin of type "precise-prefix-cache-producer" is known here',
    ]);
  });

  it("with nothing but schedulers runs, and says that no endpoints are found", async () => {
    const loaded = await load("schedulers-only.yaml");
    expect(sourcesOf(loaded)).toEqual([defaults]);
    expect(loaded.warnings[0]).toEqual(noDiscovery);
  });

  it("can be read from its file", async () => {
    const file = new URL("file-discovery.yaml", folder).pathname;
    expect((await loadConfig({ file, registry: testRegistry() })).kind).toBe(
      "EndpointPickerConfig",
    );
  });
});

describe("an EndpointPickerConfig", () => {
  it.each(["llm-d.ai/v1alpha1", "llm-d.ai/v9", "inference.networking.x-k8s.io/v1alpha1", "x"])(
    "of apiVersion %s loads",
    async (apiVersion) => {
      expect((await parse(`apiVersion: ${apiVersion}`)).kind).toBe("EndpointPickerConfig");
    },
  );

  it.each([
    ["discovery: {pluginRef: d}"],
    ["discovery: {endpoints: {pluginRef: d}}"],
    ["dataLayer: {discovery: {pluginRef: d}}"],
    ["dataLayer: {discovery: {endpoints: {pluginRef: d}}}"],
  ])("finds its discovery in %s", async (line) => {
    const loaded = await parse(
      "plugins: [{name: d, type: file-discovery, parameters: {path: x}}]",
      line,
    );
    expect(loaded.runtime.discovery.map(({ typedName }) => typedName.name)).toEqual(["d"]);
  });

  it("warns of keys that it does not know, and goes on without them", async () => {
    const loaded = await parse(
      "plugins:",
      "- {type: metrics-data-source, replicas: 2, parameters: {schema: https, path: /m}}",
      "dataLayer: {injectDefault: true}",
      "shedulingProfiles: []",
      "datalayer: {}",
    );
    expect(loaded.warnings).toEqual([
      noDiscovery,
      expect.stringMatching(
        /sections shedulingProfiles, datalayer \(did you mean "dataLayer"\?\)$/,
      ),
      "f:3:31: plugins[0].replicas: unknown key is ignored",
      'f:3:57: plugins[0].parameters.schema: unknown key (did you mean "scheme"?) is ignored',
      'f:4:13: dataLayer.injectDefault: unknown key (did you mean "injectDefaults"?) is ignored',
    ]);
    expect(configOf(loaded.runtime.sources[0]?.source)).toMatchObject({
      scheme: "http",
      path: "/m",
    });
  });

  it("is refused for a source, a discovery or a polling extractor of unknown type", async () => {
    const loading = parse(
      "plugins: [{type: acme-discovery}, {type: acme-source}, {type: acme-extractor}]",
      "discovery: {pluginRef: acme-discovery}",
      "dataLayer:",
      "  sources:",
      "  - {pluginRef: acme-source}",
      "  - {pluginRef: metrics-data-source, extractors: [{pluginRef: acme-extractor}]}",
    );
    await expect(loading).rejects.toMatchObject({
      problems: [
        { code: "PLUGIN_UNKNOWN", path: "f:2:18: plugins[0].type" },
        { code: "PLUGIN_UNKNOWN", path: "f:2:42: plugins[1].type" },
        { code: "PLUGIN_UNKNOWN", path: "f:2:63: plugins[2].type" },
      ],
    });
  });

  it("warns of a type that looks misspelt or is not installed, where nothing refers to it", async () => {
    const loaded = await parse(
      "plugins: [{type: core-metrics-extracter}, {type: k8s-notification-source}]",
    );
    expect(loaded.warnings).toEqual([
      noDiscovery,
      'f:2:18: plugins[0].type: plugin type "core-metrics-extracter" is not used (did you mean "core-metrics-extractor"?)',
      'f:2:50: plugins[1].type: plugin type "k8s-notification-source" is not used: it is not installed',
    ]);
  });

  it("loads no package and resolves no secret: it is taken as llm-d takes it", async () => {
    const token = "$" + "{env:X}";
    const loaded = await parse(
      "plugins:",
      `- {type: metrics-data-source, package: ./nowhere.js, parameters: {bearerToken: '${token}'}}`,
    );
    expect(configOf(loaded.runtime.sources[0]?.source)).toMatchObject({ bearerToken: token });
    expect(loaded.warnings).toContain("f:3:31: plugins[0].package: unknown key is ignored");
  });

  it("may have empty sections", async () => {
    const loaded = await parse("plugins:", "dataLayer:");
    expect(sourcesOf(loaded)).toEqual([defaults]);
  });
});
