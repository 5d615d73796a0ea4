import type { MusterError } from "@muster/core";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../reflector/kube-object.ts";
import { readPool } from "./inference-pool.ts";
import type { Pod } from "./pod.ts";
import { podEndpoints } from "./pod-endpoints.ts";
import { type EndpointSlice, sliceEndpoints } from "./slice-endpoints.ts";

interface PodPart {
  readonly metadata?: object;
  readonly status?: object;
}

/** As `JSON.parse` gives it, so that `__proto__` is a key like others. */
const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function read({ metadata = {}, status = {} }: PodPart) {
  const problems: MusterError[] = [];
  const pod = parsed({
    metadata: { name: "p", namespace: "ns", uid: "1", ...metadata },
    status: {
      phase: "Running",
      podIP: "10.0.0.1",
      conditions: [{ type: "Ready", status: "True" }],
      ...status,
    },
  }) as Pod;
  const plan = { ports: [8000], metrics: { portAnnotation: "metrics" } };
  const endpoints = podEndpoints(pod, plan, (problem) => problems.push(problem));
  return { endpoints, told: problems.map(({ code, path }) => `${code} ${path}`) };
}

describe("of a pod is left out, and told,", () => {
  it.each<[string, PodPart, string[]]>([
    ["an address that is a name", { status: { podIP: "metadata.internal" } }, ["status.podIPs"]],
    ["an address that is no text", { status: { podIP: 7 } }, ["status.podIPs"]],
    [
      "an address with a zone",
      { status: { podIPs: [{ ip: "fe80::1%eth0" }], podIP: "" } },
      ["status.podIPs"],
    ],
  ])("%s, with the pod", (_what, part, paths) => {
    expect(read(part)).toEqual({
      endpoints: [],
      told: paths.map((path) => `DISCOVERY_ENTRY ${path}`),
    });
  });

  it.each<[string, PodPart, string[]]>([
    [
      "a second address",
      { status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "::x" }, null] } },
      ["status.podIPs"],
    ],
    ["a node address", { status: { hostIP: "node one" } }, ["status.hostIP"]],
    ["a label that is no text", { metadata: { labels: { a: 1 } } }, ["metadata.labels.a"]],
    [
      "an annotation that is no text",
      { metadata: { annotations: { metrics: 1 } } },
      ["metadata.annotations.metrics"],
    ],
    [
      "a metrics port that is none",
      { metadata: { annotations: { metrics: "99999" } } },
      ["metadata.annotations.metrics"],
    ],
    [
      "a metrics port in words",
      { metadata: { annotations: { metrics: "80;x" } } },
      ["metadata.annotations.metrics"],
    ],
    [
      "an active port that is none",
      { metadata: { annotations: { "llm-d.ai/active-ports": "8000,0x1F40," } } },
      ["metadata.annotations.llm-d.ai/active-ports"],
    ],
    [
      "many active ports that are none",
      {
        metadata: {
          annotations: { "llm-d.ai/active-ports": `${"x,".repeat(100_000)}8000` },
        },
      },
      ["metadata.annotations.llm-d.ai/active-ports"],
    ],
    ["labels that are none", { metadata: { labels: ["a"] } }, []],
    [
      "conditions that are none",
      { status: { conditions: [null, 1, { type: "Ready", status: "True" }] } },
      [],
    ],
  ])("%s, without the pod", (_what, part, paths) => {
    const { endpoints, told } = read(part);
    expect(endpoints).toMatchObject([
      { metadata: { address: "10.0.0.1", metricsHost: "10.0.0.1:8000" } },
    ]);
    expect(told).toEqual(paths.map((path) => `DISCOVERY_ENTRY ${path}`));
  });

  it("its whole, when its name cannot be one", () => {
    expect(() => read({ metadata: { name: "a b" } })).toThrow(
      expect.objectContaining({ code: "ENDPOINT_INVALID" }),
    );
  });

  it("nothing, when a label is called like a part of objects", () => {
    const labels = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const [endpoint] = read({ metadata: { labels } }).endpoints;
    expect(Object.entries(endpoint?.metadata.labels ?? {})).toEqual(Object.entries(labels));
  });
});

describe("of a slice is left out, and told,", () => {
  const slice = (more: object): EndpointSlice =>
    parsed({
      metadata: { name: "s", namespace: "ns" },
      addressType: "IPv4",
      ports: [{ name: "http", port: 8000 }],
      ...more,
    }) as EndpointSlice;
  const found = (given: EndpointSlice, port?: string) => {
    const paths: (string | undefined)[] = [];
    const plan = { service: "vllm", port };
    const endpoints = sliceEndpoints(given, plan, ({ path }) => paths.push(path));
    return [endpoints.map(({ metadata }) => metadata.address), paths];
  };

  it("an address that is none for its type, beside the others", () => {
    const addresses = ["10.0.0.1", "a.example", "", null, 5];
    const endpoints = [null, ...addresses.map((address) => ({ addresses: [address] })), {}];
    expect(found(slice({ endpoints }))).toEqual([
      ["10.0.0.1"],
      [
        'endpoints["a.example"]',
        'endpoints[""]',
        "endpoints[null]",
        "endpoints[5]",
        "endpoints[undefined]",
      ],
    ]);
    const named = [{ addresses: ["a.example"] }, { addresses: ["a b"] }];
    expect(found(slice({ addressType: "FQDN", endpoints: named }))).toEqual([
      ["a.example"],
      ['endpoints["a b"]'],
    ]);
  });

  it("an endpoint whose pod has a name that is none, beside the others", () => {
    const targetRef = { kind: "Pod", name: "a/b" };
    const endpoints = [{ addresses: ["10.0.0.1"], targetRef }, { addresses: ["10.0.0.2"] }];
    expect(found(slice({ endpoints }))).toEqual([["10.0.0.2"], ["name"]]);
  });

  it("all, when it lacks the port, with the ports it has", () => {
    const endpoints = [{ addresses: ["10.0.0.1"] }];
    expect(() => found(slice({ endpoints }), "grpc")).toThrow(/no port "grpc", but http: 8000$/);
    expect(() => found(slice({ endpoints, ports: null }))).toThrow(
      /none at all: configure its number/,
    );
    expect(found(slice({ endpoints: [] }), "grpc")).toEqual([[], []]);
    expect(found(slice({ endpoints: {} }), "grpc")).toEqual([[], []]);
  });
});

describe("a pool is refused", () => {
  const pool = (spec: unknown): KubeObject => ({ metadata: { name: "p", namespace: "ns" }, spec });
  const selector = { matchLabels: { app: "vllm" } };
  const targetPorts = [{ number: 8000 }];

  it.each<[string, unknown, RegExp]>([
    ["without a spec", undefined, /no label/],
    ["without labels", { selector: {}, targetPorts }, /no label/],
    ["with a label that is no text", { selector: { app: 1 }, targetPorts }, /is no text/],
    ["with a label that selects more", { selector: { app: "a,b=c" }, targetPorts }, /is no label/],
    ["with a key that is none", { selector: { "a in (b)": "c" }, targetPorts }, /is no label/],
    ["without ports", { selector }, /0 target ports/],
    [
      "with too many ports",
      { selector, targetPorts: Array(65).fill({ number: 1 }) },
      /65 target ports/,
    ],
    [
      "with a port that is none",
      { selector, targetPorts: [{ number: 70_000 }, null] },
      /different ports/,
    ],
    [
      "with a port twice",
      { selector, targetPorts: [...targetPorts, ...targetPorts] },
      /different ports/,
    ],
    [
      "with a port in words",
      { selector: { app: "x" }, targetPortNumber: "8000" },
      /different ports/,
    ],
  ])("%s", (_what, spec, why) => {
    expect(() => readPool(pool(spec))).toThrow(
      expect.objectContaining({ code: "KUBE_INVALID", message: expect.stringMatching(why) }),
    );
  });

  it("never for a label called matchLabels in the older version", () => {
    const spec = { selector: { matchLabels: "x" }, targetPortNumber: 8000 };
    expect(readPool(pool(spec))).toEqual({ matchLabels: { matchLabels: "x" }, ports: [8000] });
  });
});
