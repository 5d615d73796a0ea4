import { EndpointInstance, encodeInstance } from "@muster/core/plane";
import { createKvEndpointDiscovery } from "@muster/discovery-kv";
import { createMemoryStore } from "@muster/discovery-kv/memory";
import { describe, expect, it } from "vitest";
import { follow, setUp } from "./following.ts";
import { Registrar, recordOf, served } from "./records.ts";

describe("starts and stops", () => {
  it("opens nothing before the start, and leaves nothing open after the abort", async () => {
    const { clock, discovery, opened } = setUp();
    expect(opened).toEqual([]);
    const { abort } = follow(discovery);
    await clock.advance(0);
    await abort();
    expect([opened.length, clock.pending]).toEqual([1, 0]);
    await Promise.all(opened.map((store) => store.closed));
  });

  it("stops while it waits to try again", async () => {
    const { clock, discovery, lose } = setUp();
    await lose();
    const { abort } = follow(discovery);
    await clock.advance(10);
    await abort();
    expect(clock.pending).toBe(0);
  });

  it("starts again with a store of its own, and all endpoints anew", async () => {
    const { clock, discovery, writer, opened, metrics } = setUp();
    await new Registrar(writer).set([served(1, "10.0.0.1")]);
    for (const starts of [1, 2, 3]) {
      const { abort, calls } = follow(discovery);
      await clock.advance(0);
      expect([calls, opened.length]).toEqual([["+ns/backend-generate-1"], starts]);
      expect(metrics.value("muster_discovery_kv_skipped_records")).toBe(0);
      await abort();
    }
    expect(metrics.value("muster_discovery_kv_skipped_records")).toBeUndefined();
  });

  it("refuses a second start beside the first", async () => {
    const { clock, discovery } = setUp();
    const first = follow(discovery);
    await expect(follow(discovery).done).rejects.toMatchObject({ code: "DISCOVERY_FAILED" });
    await clock.advance(0);
    expect(first.ready()).toBe(true);
  });

  it("refuses settings that make no sense", () => {
    const openStore = () => createMemoryStore();
    expect(() => createKvEndpointDiscovery({ openStore, component: "c" })).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: expect.stringMatching(/namespace/),
      }),
    );
  });
});

describe("what it follows", () => {
  const records = [
    ["ns1", "a", "x"],
    ["ns1", "a", "y"],
    ["ns1", "ab", "x"],
    ["ns10", "a", "x"],
  ] as const;

  it.each([
    [{}, ["ns1/a-x-1", "ns1/a-y-1", "ns1/ab-x-1", "ns10/a-x-1"]],
    [{ namespace: "ns1" }, ["ns1/a-x-1", "ns1/a-y-1", "ns1/ab-x-1"]],
    [{ namespace: "ns1", component: "a" }, ["ns1/a-x-1", "ns1/a-y-1"]],
    [{ namespace: "ns1", component: "a", endpoint: "x" }, ["ns1/a-x-1"]],
    [{ namespace: "ns" }, []],
  ])("%j, by whole names [dynamo#10990]", async (query, expected) => {
    const { clock, discovery, writer } = setUp(query);
    for (const [namespace, component, endpoint] of records) {
      const transport = { tcp: "10.0.0.1:1" };
      const record = { namespace, component, endpoint, instanceId: 1n, transport };
      const instance = new EndpointInstance(record);
      await writer.bucket("v1/instances").create(instance.id().toPath(), encodeInstance(instance));
    }
    const { found } = follow(discovery);
    await clock.advance(0);
    expect([...found.keys()].sort()).toEqual(expected);
  });

  it("10,000 records, then 1,000 changes among them: each reported once", async () => {
    const { clock, discovery, writer } = setUp();
    const bucket = writer.bucket("v1/instances");
    const addressOf = (n: number): string => `10.0.${n >> 8}.${n & 255}`;
    const all = Array.from({ length: 10_000 }, (_, n) => served(n, addressOf(n)));
    for (const metadata of all) await bucket.create(...recordOf(metadata));
    const { calls, ready, found } = follow(discovery);
    await clock.advance(0);
    expect([ready(), found.size, calls.length]).toEqual([true, 10_000, 10_000]);
    for (let n = 0; n < 1000; n++) {
      const [key, expected] = recordOf(served(n, addressOf(n)));
      const [, value] = recordOf(served(n, "10.9.9.9"));
      await bucket.compareAndReplace(key, { expected, value });
    }
    await clock.advance(0);
    expect(calls.length).toBe(11_000);
    expect([...found.values()].filter(({ address }) => address === "10.9.9.9")).toHaveLength(1000);
  });
});
