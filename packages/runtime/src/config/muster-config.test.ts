import { describe, expect, it } from "vitest";
import { configOf, testRegistry } from "../../test/support/definitions.ts";
import type { LoadedConfig } from "./loaded-config.ts";
import { parseConfig } from "./parse-config.ts";

function parse(text: string): Promise<LoadedConfig> {
  return parseConfig(text, { file: "muster.yaml", registry: testRegistry() });
}

/** Every problem as it is shown. */
async function problemsOf(text: string): Promise<string[]> {
  const error = await parse(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "CONFIG_INVALID" });
  const { message } = error as Error;
  const [first, ...lines] = message.split("\n");
  expect(first).toBe("muster.yaml is not valid:");
  return lines.map((line) => line.replace("muster.yaml:", ""));
}

const head = `apiVersion: muster/v1
kind: MusterConfig
plugins:
- {type: file-discovery, parameters: {path: endpoints.yaml}}
discovery: {pluginRef: file-discovery}
`;

describe("a MusterConfig", () => {
  it("has defaults for everything but plugins and discovery", async () => {
    const loaded = await parse(head);
    expect(loaded).toMatchObject({
      kind: "MusterConfig",
      server: { host: "127.0.0.1", port: 7700, openMetrics: false },
      warnings: [],
    });
    expect(loaded.runtime).toMatchObject({ interval: "1s" });
    expect(loaded.runtime).not.toHaveProperty("pool");
    expect(loaded.runtime).not.toHaveProperty("freshness");
  });

  it("gives what it says", async () => {
    const loaded = await parse(`${head}
interval: 250ms
pool: {name: large, namespace: models}
freshness: {staleAfter: 5s, unreachableAfter: 3}
server: {host: "::1", port: 0, token: abc, openMetrics: true}
`);
    expect(loaded.runtime).toMatchObject({
      interval: "250ms",
      pool: { name: "large", namespace: "models" },
      freshness: { staleAfter: "5s", unreachableAfter: 3 },
    });
    expect(loaded.server).toEqual({ host: "::1", port: 0, token: "abc", openMetrics: true });
  });

  it("may have several discoveries, in either place", async () => {
    const loaded = await parse(`apiVersion: muster/v1
kind: MusterConfig
plugins:
- {name: a, type: file-discovery, parameters: {path: a.yaml}}
- {name: b, type: file-discovery, parameters: {path: b.yaml}}
- {name: c, type: file-discovery, parameters: {path: c.yaml}}
discovery: [{pluginRef: a}, {endpoints: {pluginRef: b}}]
dataLayer: {discovery: {pluginRef: c}}
`);
    expect(loaded.runtime.discovery.map(({ typedName }) => typedName.name)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  it("can be JSON", async () => {
    const config = {
      $schema: "./schema.json",
      apiVersion: "muster/v1",
      kind: "MusterConfig",
      plugins: [{ type: "file-discovery", parameters: { path: "x" } }],
      discovery: { pluginRef: "file-discovery" },
    };
    expect((await parse(JSON.stringify(config, undefined, "\t"))).kind).toBe("MusterConfig");
  });

  it("says of every plugin what it is used for and where it is declared", async () => {
    const loaded = await parse(
      `${head.replace("discovery:", "- {type: acme-scorer}\n- {type: acme-event-source}\ndiscovery:")}`,
    );
    expect(
      loaded.plugins.map(({ typedName, kind, use, place }) => [typedName.name, kind, use, place]),
    ).toEqual([
      ["file-discovery", "discovery", "discovery", "muster.yaml:4:3: plugins[0]"],
      ["acme-scorer", "generic", "plugin", "muster.yaml:5:3: plugins[1]"],
      ["acme-event-source", "source", "unused", "muster.yaml:6:3: plugins[2]"],
      ["metrics-data-source", "source", "source", undefined],
      ["core-metrics-extractor", "extractor", "extractor", undefined],
      ["lora-extractor", "extractor", "extractor", undefined],
    ]);
    expect(loaded.warnings).toEqual([
      'muster.yaml:6:3: plugins[2]: plugin "acme-event-source" is declared and not used: name it in a pluginRef where it belongs, or remove it',
    ]);
    expect(loaded.runtime.plugins.map(({ typedName }) => typedName.name)).toEqual(["acme-scorer"]);
  });

  it("keeps hostile keys as data", async () => {
    const text = `${head}
dataLayer: {sources: [{pluginRef: m}]}
`.replace(
      "discovery:",
      "- {name: m, type: metrics-data-source, parameters: {headers: {__proto__: a, constructor: b}}}\ndiscovery:",
    );
    const { headers } = configOf((await parse(text)).runtime.sources[0]?.source) as {
      headers: object;
    };
    expect(({} as { a?: string }).a).toBeUndefined();
    expect(Object.getOwnPropertyDescriptor(headers, "constructor")?.value).toBe("b");
  });
});

describe("problems of a MusterConfig", () => {
  it("unknown keys, with a suggestion for a misspelt one", async () => {
    expect(await problemsOf(`${head}intervall: 1s\nserver: {prot: 1, tls: {}}\n`)).toEqual([
      '6:1: intervall: unknown key (did you mean "interval"?)',
      '7:10: server.prot: unknown key (did you mean "port"?)',
      "7:19: server.tls: unknown key",
    ]);
  });

  it("wrong types, missing keys and values out of range", async () => {
    const text = `apiVersion: muster/v2
kind: MusterConfig
interval: soon
pool: {namespace: x}
plugins:
- {name: 7}
- text
discovery: []
freshness: {staleAfter: {}, unreachableAfter: 0}
server: {port: 65536, token: ''}
`;
    expect(await problemsOf(text)).toEqual([
      '1:13: apiVersion: Invalid input: expected "muster/v1"',
      '3:11: interval: "soon" is no duration above 0: write 50ms, 1.5s, 1h30m, or milliseconds as a number',
      "4:7: pool.name: is required: expected string",
      "6:3: plugins[0].type: is required: expected string",
      "6:10: plugins[0].name: Invalid input: expected string, received number",
      "7:3: plugins[1]: Invalid input: expected object, received string",
      "8:12: discovery: Too small: expected array to have >=1 items",
      "9:25: freshness.staleAfter: Invalid input: expected string or number, received object",
      "9:47: freshness.unreachableAfter: Too small: expected number to be >=1",
      "10:16: server.port: Too big: expected number to be <=65535",
      "10:30: server.token: Too small: expected string to have >=1 characters",
    ]);
  });

  it("unknown plugin types, with a suggestion or the package to install", async () => {
    const plugins = ["core-metrics-extracter", "k8s-discovery", "topology-extractor", "zzz"];
    const text = head.replace(
      "discovery:",
      `${plugins.map((type) => `- {type: ${type}}\n`).join("")}discovery:`,
    );
    const known =
      "known: acme-event-source, acme-scorer, core-metrics-extractor, endpoint-notification-source, file-discovery, lora-extractor, metrics-data-source";
    expect(await problemsOf(text)).toEqual([
      `5:10: plugins[1].type: no plugin of type "core-metrics-extracter" (did you mean "core-metrics-extractor"?); ${known}`,
      '6:10: plugins[2].type: no plugin of type "k8s-discovery": it is provided by @muster/discovery-k8s; install that package and register its plugin',
      '7:10: plugins[3].type: no plugin of type "topology-extractor": llm-d has it, Muster does not provide it yet; remove it or register a plugin of that type',
      `8:10: plugins[4].type: no plugin of type "zzz"; ${known}`,
    ]);
  });

  it("bad references", async () => {
    const text = `apiVersion: muster/v1
kind: MusterConfig
plugins:
- {name: disk, type: file-discovery, parameters: {path: x}}
- {type: acme-event-source}
discovery: [{pluginRef: disc}, {pluginRef: acme-event-source}, {pluginRef: disk}, {pluginRef: disk}, {}]
dataLayer:
  sources:
  - {pluginRef: disk}
  - {pluginRef: acme-event-source, extractors: [{pluginRef: endpoint-notification-source}]}
`;
    expect(await problemsOf(text)).toEqual([
      '6:25: discovery[0].pluginRef: no plugin is named "disc" (did you mean "disk"?)',
      '6:44: discovery[1].pluginRef: plugin "acme-event-source" is of kind source; here a plugin of kind discovery is needed',
      '6:95: discovery[3].pluginRef: "disk" is there twice',
      "6:102: discovery[4]: give either pluginRef or endpoints.pluginRef",
      '9:17: dataLayer.sources[0].pluginRef: plugin "disk" is of kind discovery; here a plugin of kind source is needed',
      '10:61: dataLayer.sources[1].extractors[0].pluginRef: no plugin is named "endpoint-notification-source"; add "- type: endpoint-notification-source" to plugins',
    ]);
  });

  it("names that are there twice, and no discovery", async () => {
    const text = `apiVersion: muster/v1
kind: MusterConfig
plugins:
- {type: acme-scorer}
- {type: acme-scorer}
dataLayer: {}
`;
    expect(await problemsOf(text)).toEqual([
      '5:3: plugins[1]: two plugins are named "acme-scorer"; give one another name',
      "6:1: dataLayer: no discovery is configured, so no endpoints would be found: name a plugin in dataLayer.discovery.pluginRef",
    ]);
  });

  it("of a plugin's parameters, where they stand", async () => {
    const text = head.replace(
      "discovery:",
      `- type: metrics-data-source
  parameters:
    schema: https
    scheme: gopher
- type: lora-extractor
  parameters: [1]
discovery:`,
    );
    expect(await problemsOf(text)).toEqual([
      '7:5: plugins[1].parameters.schema: unknown key (did you mean "scheme"?)',
      '8:13: plugins[1].parameters.scheme: Invalid option: expected one of "http"|"https"',
      "10:15: plugins[2].parameters: Invalid input: expected record, received array",
    ]);
  });

  it("of the wiring that is written there", async () => {
    const text = `${head}
dataLayer:
  sources:
  - pluginRef: acme-event-source
    extractors: [{pluginRef: core}]
  - pluginRef: metrics-data-source
    extractors: [{pluginRef: core}, {pluginRef: core-2}]
`.replace(
      "discovery:",
      "- {type: acme-event-source}\n- {name: core, type: core-metrics-extractor}\n- {name: core-2, type: core-metrics-extractor}\ndiscovery:",
    );
    expect(await problemsOf(text)).toEqual([
      '13:30: dataLayer.sources[0].extractors[0].pluginRef: extractor core-metrics-extractor/core takes the payload "page", source acme-event-source/acme-event-source gives endpoint events',
      '15:49: dataLayer.sources[1].extractors[1].pluginRef: source metrics-data-source/metrics-data-source has two extractors of type "core-metrics-extractor": core-metrics-extractor/core and core-metrics-extractor/core-2; keep one',
    ]);
  });

  it.each([
    [
      "kind: MusterConfg",
      '1:7: kind: must be MusterConfig or EndpointPickerConfig, not "MusterConfg" (did you mean "MusterConfig"?)',
    ],
    [
      "kind: Deployment",
      '1:7: kind: must be MusterConfig or EndpointPickerConfig, not "Deployment"',
    ],
    [
      "plugins: []",
      "1:1: is no configuration: its kind must be MusterConfig or EndpointPickerConfig",
    ],
    ["", "1:1: is no configuration: its kind must be MusterConfig or EndpointPickerConfig"],
    [
      "- kind: MusterConfig",
      "1:1: is no configuration: its kind must be MusterConfig or EndpointPickerConfig",
    ],
  ])("another kind: %j", async (text, problem) => {
    expect(await problemsOf(text)).toEqual([problem]);
  });

  it("no more than can be read", async () => {
    const entries = Array.from({ length: 150 }, (_, index) => `- {type: t${index}x}`).join("\n");
    const lines = await problemsOf(head.replace("discovery:", `${entries}\ndiscovery:`));
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe("50 more problems");
  });

  it("in one line each, whatever the file holds", async () => {
    const [line = "", ...others] = await problemsOf(`${head}"a\\nmuster.yaml:1:1: b": 1\n`);
    expect(others).toEqual([]);
    expect(line).toBe("6:1: a\\nmuster.yaml:1:1: b: unknown key");
    const [long = ""] = await problemsOf(`kind: ${"x".repeat(100_000)}\n`);
    expect(long.length).toBeLessThan(5000);
  });
});
