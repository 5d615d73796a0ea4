import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginContext } from "@muster/core";
import type { KeyValueStore } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createEtcdStore } from "@muster/discovery-kv/etcd";
import { createFileStore } from "@muster/discovery-kv/file";
import { createMemoryStore } from "@muster/discovery-kv/memory";
import { createNatsStore } from "@muster/discovery-kv/nats";
import { describe, expect, it } from "vitest";

type Context = Partial<PluginContext>;

const root = join(tmpdir(), "muster-never-made");
const context: Context = { signal: AbortSignal.abort() };
const code = (code: string): unknown => expect.objectContaining({ code });

describe("with a signal that has aborted before", () => {
  it.each<[string, (context: Context) => KeyValueStore]>([
    ["memory", (given) => createMemoryStore({}, given)],
    ["file", (given) => createFileStore({ root }, given)],
    ["etcd", (given) => createEtcdStore({ endpoints: "http://127.0.0.1:1" }, given)],
    ["nats", (given) => createNatsStore({ servers: "nats://127.0.0.1:1" }, given)],
  ])("a store of type %s is closed from the start", async (type, create) => {
    const store = create(context);
    expect(store.type).toBe(type);
    expect(await store.closed).toBeUndefined();
    await expect(store.bucket("v1/instances").get("k")).rejects.toEqual(code("STORE_CLOSED"));
    await store.close();
  });

  it("so is a plane, and its store", async () => {
    const store = createMemoryStore();
    const plane = createKvDiscovery(store, { context });
    await expect(plane.list({ type: "AllEndpoints" })).rejects.toEqual(code("PLANE_CLOSED"));
    expect(await store.closed).toBeUndefined();
  });
});
