import kvDiscovery, { createStore, type KvDiscoveryConfig } from "@muster/discovery-kv";
import { createMemoryStore, memoryRegistry } from "@muster/discovery-kv/memory";
import { describeDefinition } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { follow } from "./following.ts";
import { Registrar, served } from "./records.ts";

const store = { type: "memory" };
const etcd = { type: "etcd", endpoints: "http://127.0.0.1:2379" };

describeDefinition(
  { describe, it },
  {
    definition: kvDiscovery,
    valid: [
      { store: { type: "memory" } },
      { store: { type: "memory", registry: "tests" }, namespace: "dynamo", graceTime: "forever" },
      {
        store: { type: "file", root: "/tmp/store" },
        namespace: "a",
        component: "b",
        endpoint: "c",
      },
      { store: { type: "etcd", endpoints: ["http://10.0.0.1:2379"], ttl: "10s" } },
      { store: { type: "nats", servers: "nats://10.0.0.1:4222" }, labels: { tier: "gold" } },
      {
        store: { type: "memory" },
        metrics: {
          scheme: "https",
          address: "{component}.svc",
          port: 9090,
          path: "/{id}",
          field: "m",
        },
        graceTime: 0,
      },
    ],
    invalid: [
      { config: {}, path: "store" },
      { config: { store: "etcd://127.0.0.1" }, path: "store" },
      { config: { store: {} }, path: "store.type" },
      { config: { store: { type: "redis" } }, path: "store.type" },
      { config: { store: { type: "__proto__" } }, path: "store.type" },
      { config: { store: { type: "file" } }, path: "store.root" },
      { config: { store: { ...etcd, endpoints: "ftp://a" } }, path: "store.endpoints[0]" },
      { config: { store: { ...etcd, leaseId: 1 } }, path: "store.leaseId" },
      { config: { store: { ...etcd, root: "/" } }, path: "store" },
      { config: { store, component: "c" }, path: "component" },
      { config: { store, namespace: "n", endpoint: "e" }, path: "endpoint" },
      { config: { store, namespace: "a/b" }, path: "namespace" },
      { config: { store, namespace: "" }, path: "namespace" },
      { config: { store, graceTime: "soon" }, path: "graceTime" },
      { config: { store, metrics: { port: 0 } }, path: "metrics.port" },
      { config: { store, metrics: { address: "{hots}" } }, path: "metrics.address" },
      { config: { store, metrics: { address: "{host}:9090" } }, path: "metrics.address" },
      { config: { store, metrics: { path: "metrics" } }, path: "metrics.path" },
      { config: { store, metrics: { path: "/{id}\r\nx: y" } }, path: "metrics.path" },
      { config: { store, labels: { a: 1 } }, path: "labels.a" },
      { config: { store, query: {} }, path: "" },
    ],
  },
);

describe("the plugin's stores", () => {
  it("in memory are those of the program with the same name", async () => {
    const registry = memoryRegistry("plugin-test");
    expect(memoryRegistry("plugin-test")).toBe(registry);
    expect(memoryRegistry()).not.toBe(registry);
    await using writer = createMemoryStore({ registry });
    await new Registrar(writer).set([served(1, "10.0.0.1")]);
    const discovery = kvDiscovery.create({ store: { type: "memory", registry: "plugin-test" } });
    const { found, done } = follow(discovery);
    await Promise.race([discovery.ready(), done]);
    expect([...found.keys()]).toEqual(["ns/backend-generate-1"]);
  });

  it("of an unknown type are refused", async () => {
    const config = { type: "redis" } as unknown as KvDiscoveryConfig["store"];
    await expect(createStore(config)).rejects.toMatchObject({ code: "STORE_CONFIG" });
  });

  it("are described for editors, identities left out, and secrets marked", () => {
    const schema = kvDiscovery.configSchema["~standard"].jsonSchema?.input({
      target: "draft-2020-12",
    }) as { properties: { store: { oneOf: { properties: Record<string, object> }[] } } };
    const kinds = schema.properties.store.oneOf.map(({ properties }) => properties);
    expect(kinds.map(({ type }) => type)).toMatchObject(
      ["memory", "file", "etcd", "nats"].map((type) => ({ const: type })),
    );
    for (const keys of kinds)
      expect(Object.keys(keys)).not.toEqual(expect.arrayContaining(["leaseId", "connectionId"]));
    expect(kinds[2]?.password).toMatchObject({ writeOnly: true });
    expect(kinds[3]?.password).toMatchObject({ writeOnly: true });
  });
});
