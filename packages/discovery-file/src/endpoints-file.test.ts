import { describe, expect, it } from "vitest";
import { type EndpointsFile, parseEndpointsFile } from "./endpoints-file.ts";

const parse = (text: string): Promise<EndpointsFile> =>
  parseEndpointsFile(new TextEncoder().encode(text), { file: "e.yaml" });

describe("parseEndpointsFile", () => {
  it("reads YAML: name, namespace, address, port, labels, metrics", async () => {
    const { endpoints, problems } = await parse(`
endpoints:
- name: a
  address: 10.0.0.1
  port: 8000
- name: b
  namespace: prod
  address: 2001:db8::1
  port: "8001"
  labels: {app: vllm, llm-d.ai/engine-type: sglang, empty: ""}
  metrics: {address: metrics.example, port: "9100", scheme: https, path: /m, enabled: false}
`);
    expect(problems).toEqual([]);
    expect([...endpoints.keys()]).toEqual(["default/a", "prod/b"]);
    expect(endpoints.get("default/a")).toMatchObject({
      namespacedName: { namespace: "default", name: "a" },
      address: "10.0.0.1",
      port: "8000",
      metricsHost: "10.0.0.1:8000",
      metrics: { enabled: true },
    });
    expect(endpoints.get("prod/b")).toMatchObject({
      address: "2001:db8::1",
      port: "8001",
      metricsHost: "metrics.example:9100",
      metrics: { scheme: "https", path: "/m", enabled: false },
    });
    expect({ ...endpoints.get("prod/b")?.labels }).toEqual({
      app: "vllm",
      "llm-d.ai/engine-type": "sglang",
      empty: "",
    });
  });

  it("reads JSON, indented by tabs too", async () => {
    const entry = { name: "a", address: "model-server.internal", port: 8000, labels: { x: "y" } };
    const { endpoints, problems } = await parse(JSON.stringify({ endpoints: [entry] }, null, "\t"));
    expect(problems).toEqual([]);
    expect(endpoints.get("default/a")).toMatchObject({
      address: "model-server.internal",
      port: "8000",
    });
  });

  it("takes null for a key that may be left out", async () => {
    const text =
      "endpoints: [{name: a, address: h, port: 1, namespace: ~, labels:, metrics: {port: null}}]";
    const { endpoints, problems } = await parse(text);
    expect(problems).toEqual([]);
    expect(endpoints.get("default/a")?.metricsHost).toBe("h:1");
  });

  it("takes `endpoints: []` for none, with comments, CRLF and a byte order mark", async () => {
    const { endpoints, problems } = await parse("\ufeff# none\r\n---\r\nendpoints: []\r\n...\r\n");
    expect([endpoints.size, problems.length]).toEqual([0, 0]);
  });

  it("lets entries share maps through aliases and merges", async () => {
    const { endpoints, problems } = await parse(`
x-common: &common {port: 8000, labels: &labels {app: vllm}}
endpoints:
- {<<: *common, name: a, address: h}
- {<<: [{port: 1}, *common], name: b, address: h}
- &c {<<: *common, port: 2, name: c, address: h}
- {name: d, address: h, port: 3, labels: *labels}
`);
    expect([...endpoints.values()].map(({ port, labels }) => [port, labels.app])).toEqual([
      ["8000", "vllm"],
      ["1", "vllm"],
      ["2", "vllm"],
      ["3", "vllm"],
    ]);
    expect(problems.map(({ code, path }) => [code, path])).toEqual([
      ["DISCOVERY_WARNING", "e.yaml:2:1: x-common"],
    ]);
  });

  it("means the anchor last set before the alias", async () => {
    const text =
      "endpoints: [{name: &n a, address: *n, port: 1}, {name: &n b, address: *n, port: 1}]";
    const { endpoints } = await parse(text);
    expect([...endpoints.values()].map(({ address }) => address)).toEqual(["a", "b"]);
  });

  it("takes hostile label keys for data", async () => {
    const text = `{"endpoints": [{"name": "a", "address": "h", "port": 1,
      "labels": {"__proto__": "x", "constructor": "y"}}]}`;
    const labels = (await parse(text)).endpoints.get("default/a")?.labels;
    expect(Object.entries(labels ?? {})).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(Object.getPrototypeOf(labels)).toBeNull();
  });

  it("freezes metadata", async () => {
    const { endpoints } = await parse("endpoints: [{name: a, address: h, port: 1}]");
    expect(Object.isFrozen(endpoints.get("default/a"))).toBe(true);
  });

  it.each([
    ["nothing", "", "e.yaml", "`endpoints: []` for none"],
    ["null", "~\n", "e.yaml", "`endpoints: []` for none"],
    ["a text", "endpoints", "e.yaml:1:1", "must be a map"],
    ["a list", "- name: a\n", "e.yaml:1:1", "must be a map"],
    ["no list", "endpoints: {}\n", "e.yaml:1:12", "must be a list"],
    ["the key alone", "\nendpoints:\n", "e.yaml:2:11", "write [] for none"],
    ["another key", "servers: []\n", "e.yaml:1:1", "`endpoints` is missing"],
    ["a misspelt key", "a: 1\nendpoint: []\n", "e.yaml:2:1", "did you mean endpoints?"],
    ["the key twice", "endpoints: []\nendpoints: []\n", "e.yaml:2:1", "first on line 1"],
    ["a map as key", "{a: b}: 1\n", "e.yaml:1:1", "a key must be text"],
    ["an alias without anchor", "endpoints: [*a]\n", "e.yaml:1:13", "*a has no anchor"],
  ])("refuses a file with %s", async (_, text, path, message) => {
    await expect(parse(text)).rejects.toMatchObject({
      code: "DISCOVERY_PARSE",
      path,
      message: expect.stringContaining(message),
    });
  });
});
