import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cloneEndpointMetadata,
  createEndpointMetadata,
  type EndpointMetadataInit,
  equalEndpointMetadata,
  formatEndpointMetadata,
} from "./endpoint-metadata.ts";

const base: EndpointMetadataInit = { name: "a", address: "10.0.0.1", port: 8000 };

const text = fc.string({ maxLength: 20 });
const anyInit: fc.Arbitrary<EndpointMetadataInit> = fc.record(
  {
    name: fc.stringMatching(/^[a-z0-9.-]{1,30}$/),
    namespace: fc.stringMatching(/^[a-z0-9.-]{1,30}$/),
    podName: text,
    address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant("host.example")),
    port: fc.oneof(
      fc.integer({ min: 1, max: 65535 }),
      fc.integer({ min: 1, max: 65535 }).map(String),
    ),
    nodeAddress: fc.oneof(fc.ipV4(), fc.constant("")),
    labels: fc.dictionary(fc.oneof(text, fc.constant("__proto__")), text),
    rankIndex: fc.nat({ max: 64 }),
    metrics: fc.record(
      {
        scheme: fc.constantFrom("http" as const, "https" as const),
        address: fc.ipV4(),
        port: fc.integer({ min: 1, max: 65535 }),
        path: fc.constantFrom("/metrics", "/m?x=1"),
        enabled: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["name", "address", "port"] },
);

describe("createEndpointMetadata", () => {
  it("section 1: keeps every field, with the defaults it names", () => {
    expect(createEndpointMetadata(base)).toMatchObject({
      namespacedName: { namespace: "default", name: "a" },
      podName: "",
      address: "10.0.0.1",
      port: "8000",
      nodeAddress: "",
      metricsHost: "10.0.0.1:8000",
      metrics: { enabled: true },
      rankIndex: 0,
    });
  });

  it("section 1: derives metricsHost from the metrics target and the serving address", () => {
    const host = (metrics: EndpointMetadataInit["metrics"]): string =>
      createEndpointMetadata({ ...base, metrics }).metricsHost;
    expect(host({ port: 9400 })).toBe("10.0.0.1:9400");
    expect(host({ address: "::1" })).toBe("[::1]:8000");
    expect(host({ address: "node.example", port: "1" })).toBe("node.example:1");
  });

  it("is frozen through and through", () => {
    const metadata = createEndpointMetadata({ ...base, labels: { a: "b" } });
    for (const part of [metadata, metadata.namespacedName, metadata.metrics, metadata.labels])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it("takes hostile label keys as data", () => {
    const labels = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const metadata = createEndpointMetadata({ ...base, labels });
    expect(Object.keys(metadata.labels)).toEqual(["__proto__", "constructor"]);
    expect(metadata.labels.toString).toBeUndefined();
    expect(Object.getPrototypeOf(metadata.labels)).toBeNull();
  });

  it.each<[string, object]>([
    ["name", { name: "" }],
    ["name", { name: "a/b" }],
    ["name", { name: "a b" }],
    ["name", { name: "a\u0000" }],
    ["name", { name: "x".repeat(254) }],
    ["name", { name: 5 }],
    ["namespace", { namespace: "a/b" }],
    ["podName", { podName: 1 }],
    ["address", { address: "http://x" }],
    ["address", { address: "[::1]" }],
    ["address", { address: undefined }],
    ["port", { port: 0 }],
    ["port", { port: 1.5 }],
    ["port", { port: "65536" }],
    ["port", { port: 8000n }],
    ["nodeAddress", { nodeAddress: "no de" }],
    ["rankIndex", { rankIndex: -1 }],
    ["rankIndex", { rankIndex: 0.5 }],
    ["metrics.scheme", { metrics: { scheme: "ftp" } }],
    ["metrics.address", { metrics: { address: "" } }],
    ["metrics.port", { metrics: { port: -1 } }],
    ["metrics.path", { metrics: { path: "metrics" } }],
    ["metrics.enabled", { metrics: { enabled: "yes" } }],
    ["labels.a", { labels: { a: 1 } }],
  ])("refuses a bad %s, naming it and its value", (path, change) => {
    const create = (): unknown => createEndpointMetadata({ ...base, ...change });
    expect(create).toThrow(expect.objectContaining({ code: "ENDPOINT_INVALID", path }));
    expect(create).toThrow(path);
  });

  it("names a value that cannot be printed", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(() => createEndpointMetadata({ ...base, port: cycle as never })).toThrow("port");
  });
});

describe("cloneEndpointMetadata", () => {
  it("section 1: a clone is equal, whatever the fields", () => {
    fc.assert(
      fc.property(anyInit, (init) => {
        const metadata = createEndpointMetadata(init);
        expect(equalEndpointMetadata(metadata, cloneEndpointMetadata(metadata))).toBe(true);
      }),
    );
  });

  it("replaces the given fields and derives metricsHost anew", () => {
    const changed = cloneEndpointMetadata(createEndpointMetadata(base), { port: 9, name: "b" });
    expect(changed.metricsHost).toBe("10.0.0.1:9");
    expect(changed.namespacedName).toEqual({ namespace: "default", name: "b" });
  });
});

describe("equalEndpointMetadata", () => {
  it.each<[string, Partial<EndpointMetadataInit>]>([
    ["name", { name: "b" }],
    ["namespace", { namespace: "b" }],
    ["podName", { podName: "b" }],
    ["address", { address: "10.0.0.2" }],
    ["port", { port: 1 }],
    ["nodeAddress", { nodeAddress: "10.0.0.2" }],
    ["rankIndex", { rankIndex: 1 }],
    ["metrics.scheme", { metrics: { scheme: "https" } }],
    ["metrics.address", { metrics: { address: "10.0.0.1" } }],
    ["metrics.port", { metrics: { port: 8000 } }],
    ["metrics.path", { metrics: { path: "/m" } }],
    ["metrics.enabled", { metrics: { enabled: false } }],
    ["a label more", { labels: { zone: "a", more: "" } }],
    ["a label less", { labels: {} }],
    ["a label's value", { labels: { zone: "b" } }],
    ["a label's key", { labels: { zones: "a" } }],
  ])("section 1: compares every field: %s", (_what, change) => {
    const labelled = { ...base, labels: { zone: "a" } };
    const a = createEndpointMetadata(labelled);
    const b = createEndpointMetadata({ ...labelled, ...change });
    expect(equalEndpointMetadata(a, b)).toBe(false);
    expect(equalEndpointMetadata(b, a)).toBe(false);
    expect(equalEndpointMetadata(a, createEndpointMetadata(labelled))).toBe(true);
  });

  it("section 1: is safe for absent values", () => {
    const some = createEndpointMetadata(base);
    expect(equalEndpointMetadata(undefined, undefined)).toBe(true);
    expect(equalEndpointMetadata(some, undefined)).toBe(false);
    expect(equalEndpointMetadata(undefined, some)).toBe(false);
  });
});

describe("formatEndpointMetadata", () => {
  it("shows id and serving address, and the address scraped where it differs", () => {
    expect(formatEndpointMetadata(createEndpointMetadata(base))).toBe("default/a (10.0.0.1:8000)");
    const elsewhere = createEndpointMetadata({ ...base, metrics: { port: 9 } });
    expect(formatEndpointMetadata(elsewhere)).toBe("default/a (10.0.0.1:8000 metrics 10.0.0.1:9)");
  });
});
