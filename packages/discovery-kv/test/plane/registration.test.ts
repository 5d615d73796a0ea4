import type { Discovery, DiscoverySpec, KeyValueStore } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { describe, expect, it } from "vitest";
import { endpoint, instances, model, models, planeWorld, read, told } from "./world.ts";

const code = (code: string): unknown => expect.objectContaining({ code });

/** A store that does something else before it answers. */
function meddled(
  store: KeyValueStore,
  before: (method: string, key: string) => Promise<unknown>,
): KeyValueStore {
  return new Proxy(store, {
    get: (target, name) =>
      name === "bucket"
        ? (bucket: string) =>
            new Proxy(target.bucket(bucket), {
              get: (inner, method: "create") => async (key: string, value: string) => {
                await before(method, key);
                return inner[method](key, value);
              },
            })
        : Reflect.get(target, name, target),
  });
}

describe("register", () => {
  it("leaves the first value of an endpoint, and says which it is", async () => {
    const { plane } = planeWorld();
    const first = await plane.register(endpoint("h:1"));
    expect(await plane.register(endpoint("h:2"))).toEqual(first);
    expect(await plane.list(instances)).toEqual([first]);
  });

  it("replaces what an earlier life with our id left behind", async () => {
    const registry = createMemoryRegistry();
    const store = () => createMemoryStore({ registry, connectionId: 7n });
    const [before, after] = [store(), store()];
    const [old, now] = [createKvDiscovery(before), createKvDiscovery(after)];
    await old.register(endpoint("stale:1"));
    const stale = await old.register(model({ display_name: "m", stale: true }));
    await old.register(model({ display_name: "a", source_path: "m", lora: {} }, "a"));
    const stream = await now.listAndWatch(models);
    await read(stream, 3);
    await now.register(endpoint("h:1"));
    await now.register(model({ display_name: "m" }));
    await now.register(model({ display_name: "a", source_path: "m", lora: {} }, "a"));
    // a model does not change in place, and what stays the same is no news
    expect(told(await read(stream, 2))).toEqual([`- ${stale.id().key}`, '+ {"display_name":"m"}']);
    // from now on these are ours: they do not go with the earlier life
    await old.close();
    expect(await now.list(instances)).toMatchObject([{ transport: { tcp: "h:1" } }]);
    expect(await now.list(models)).toHaveLength(2);
  });

  it("shares what was written through one store object", async () => {
    const store = createMemoryStore();
    const [a, b] = [createKvDiscovery(store), createKvDiscovery(store)];
    const first = await a.register(endpoint("h:1"));
    expect(await b.register(endpoint("h:2"))).toEqual(first);
  });

  it("says so when what is stored under its key cannot be read", async () => {
    const { plane, lay } = planeWorld();
    const channel: DiscoverySpec = {
      type: "EventChannel",
      scope: { kind: "namespace", name: "ns" },
      topic: "t",
      instanceId: 9n,
      transport: { kind: "Nats", config: { subject_prefix: "p" } },
    };
    await lay("v1/event_channels", "namespace/ns/topic/t/9", "{");
    await expect(plane.register(channel)).rejects.toEqual(code("PLANE_JSON"));
  });

  it("tries again when others get in its way, and gives up after eight times", async () => {
    const registry = createMemoryRegistry();
    const hands = createMemoryStore({ registry }).bucket("v1/instances");
    let meddlings = 0;
    const plane = (times: number): Discovery =>
      createKvDiscovery(
        meddled(createMemoryStore({ registry, connectionId: 5n }), async (method, key) => {
          if (meddlings++ >= times) return;
          if (method === "create") await hands.create(key, "{");
          else await hands.delete(key);
        }),
      );
    await plane(6).register(endpoint("h:1"));
    expect(await plane(0).list(instances)).toHaveLength(1);
    await hands.delete("dynamo/backend/generate/5");
    meddlings = 0;
    await expect(plane(100).register(endpoint("h:1"))).rejects.toEqual(code("PLANE_CONFLICT"));
    expect(meddlings).toBe(16);
  });
});

describe("registering a model", () => {
  it("rolls its own record back when another one came in between", async () => {
    const { other } = planeWorld();
    const registry = createMemoryRegistry();
    const rival = createKvDiscovery(createMemoryStore({ registry, connectionId: 2n }));
    let raced = false;
    const store = meddled(createMemoryStore({ registry, connectionId: 1n }), async (method) => {
      if (method !== "create" || raced) return;
      raced = true;
      await rival.register(model({ display_name: "rival" }));
    });
    const plane = createKvDiscovery(store);
    await expect(plane.register(model({ display_name: "mine" }))).rejects.toEqual(
      code("PLANE_CONFLICT"),
    );
    const left = await rival.list(models);
    expect(left.map(({ instanceId }) => instanceId)).toEqual([2n]);
    // nothing of it is left in the way of a later attempt
    for (const instance of left) await rival.unregister(instance);
    await plane.register(model({ display_name: "mine" }));
    expect(await rival.list(models)).toHaveLength(1);
    await other.close();
  });

  it("withdraws its record when it cannot look again", async () => {
    const registry = createMemoryRegistry();
    let looks = 0;
    const store = meddled(createMemoryStore({ registry, connectionId: 1n }), async (method) => {
      if (method === "entries" && ++looks === 2) throw new TypeError("the network is down");
    });
    const plane = createKvDiscovery(store);
    await expect(plane.register(model({ display_name: "m" }))).rejects.toThrow("network");
    expect(registry.size).toBe(0);
  });

  it("keeps a record that was there before when the second look finds a conflict", async () => {
    const { plane, lay, other } = planeWorld();
    await plane.register(model({ display_name: "m" }));
    const rival = '"instance_id":3,"card_json":{"display_name":"rival"}}';
    await lay(
      "v1/mdc",
      "dynamo/backend/generate/3",
      `{"type":"Model","namespace":"dynamo","component":"backend","endpoint":"generate",${rival}`,
    );
    await expect(plane.register(model({ display_name: "m" }))).rejects.toEqual(
      code("PLANE_CONFLICT"),
    );
    expect(await other.list(models)).toHaveLength(2);
  });
});

describe("updateModelTaints", () => {
  it("starts over when the record changed meanwhile, eight times at most", async () => {
    const registry = createMemoryRegistry();
    const hands = createMemoryStore({ registry }).bucket("v1/mdc");
    let attempts = 0;
    let meddle = 0;
    const plane = createKvDiscovery(
      meddled(createMemoryStore({ registry, connectionId: 1n }), async (method, key) => {
        if (method !== "compareAndReplace" || ++attempts > meddle) return;
        const expected = (await hands.get(key)) ?? "";
        const value = expected.replace(/"taints":\[[^\]]*]/, `"taints":["x${attempts}"]`);
        await hands.compareAndReplace(key, { expected, value });
      }),
    );
    const registered = await plane.register(
      model({ display_name: "m", runtime_config: { taints: ["x0"] } }),
    );
    const id = registered.id();
    if (id.type !== "Model") throw new Error("a model has a model's id");
    meddle = attempts + 3;
    const tainted = await plane.updateModelTaints(id, ["b", "a"]);
    expect(tainted).toMatchObject({ cardJson: { text: expect.stringContaining('["a","b"]') } });
    expect(await plane.list(models)).toEqual([tainted]);
    meddle = Number.POSITIVE_INFINITY;
    await expect(plane.updateModelTaints(id, ["c"])).rejects.toEqual(code("PLANE_CONFLICT"));
  });
});
