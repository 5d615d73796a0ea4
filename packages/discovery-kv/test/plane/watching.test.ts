import { MusterError } from "@muster/core";
import type { KeyValueStore, WatchEvent } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { createRecordingMeter } from "@muster/testkit";
import { describe, expect, it, vi } from "vitest";
import { interruptible } from "./interruptible-store.ts";
import { endpoint, instances, model, models, planeWorld, read, told } from "./world.ts";

const code = (code: string): unknown => expect.objectContaining({ code });

function interruptiblePlane() {
  const registry = createMemoryRegistry();
  const store = interruptible(createMemoryStore({ registry }));
  const worker = createKvDiscovery(createMemoryStore({ registry, connectionId: 0x2an }));
  return { store, worker, plane: createKvDiscovery(store) };
}

describe("listAndWatch", () => {
  it("goes on after an interruption with what was missed, and says when it is one", async () => {
    const { store, worker, plane } = interruptiblePlane();
    const onInterruption = vi.fn();
    const first = await worker.register(endpoint("h:1"));
    const stream = await plane.listAndWatch(instances, { onInterruption });
    await read(stream, 2);
    store.cut();
    expect(onInterruption.mock.calls).toEqual([[code("STORE_UNAVAILABLE")]]);
    await worker.unregister(first);
    await worker.register({ ...endpoint("h:2"), component: "router" } as never);
    store.heal();
    expect(onInterruption).toHaveBeenLastCalledWith(undefined);
    expect(told(await read(stream, 3))).toEqual([`- ${first.id().key}`, "+ h:2", "= 1"]);
  });

  it("sees a model that was registered anew during an interruption", async () => {
    const { store, worker, plane } = interruptiblePlane();
    const first = await worker.register(model({ display_name: "m" }));
    const stream = await plane.listAndWatch(models);
    await read(stream, 2);
    store.cut();
    await worker.unregister(first);
    await worker.register(model({ display_name: "n" }));
    store.heal();
    expect(told(await read(stream, 3))).toEqual([
      `- ${first.id().key}`,
      '+ {"display_name":"n"}',
      "= 1",
    ]);
  });

  it("keeps a record whose value was bad when the interruption ended", async () => {
    const registry = createMemoryRegistry();
    const store = interruptible(createMemoryStore({ registry }));
    const worker = createMemoryStore({ registry, connectionId: 0x2an });
    const registered = await createKvDiscovery(worker).register(endpoint("h:1"));
    const bucket = worker.bucket("v1/instances");
    const key = registered.id().toPath();
    const stream = await createKvDiscovery(store).listAndWatch(instances);
    await read(stream, 2);
    store.cut();
    const expected = (await bucket.get(key)) ?? "";
    await bucket.compareAndReplace(key, { expected, value: "" });
    store.heal();
    expect(told(await read(stream, 1))).toEqual(["= 1"]);
  });

  it("refuses a model that is changed in place, and reports it once for all streams", async () => {
    const { plane, other, lay, logger, meter } = planeWorld();
    const registered = await other.register(model({ display_name: "m" }));
    const streams = [await plane.listAndWatch(models), await plane.listAndWatch(models)];
    for (const stream of streams) await read(stream, 2);
    const [bucket, key] = ["v1/mdc", registered.id().toPath()] as const;
    const place = '"namespace":"dynamo","component":"backend","endpoint":"generate"';
    const card = '"card_json":{"display_name":"n"}';
    await lay(bucket, key, `{"type":"Model",${place},"instance_id":2,${card}}`);
    await other.unregister(registered);
    for (const stream of streams)
      expect(told(await read(stream, 1))).toEqual([`- ${registered.id().key}`]);
    expect(meter.value("muster_plane_records_skipped_total", { reason: "PLANE_CONFLICT" })).toBe(1);
    expect(logger.lines).toHaveLength(1);
  });

  it("counts readers that are too slow", async () => {
    const metrics = createRecordingMeter();
    const plane = createKvDiscovery(createMemoryStore(), { context: { metrics }, queueLimit: 1 });
    const [stream, echo] = [
      await plane.listAndWatch(instances),
      await plane.listAndWatch(instances, { queueLimit: 100 }),
    ];
    await read(stream, 1);
    for (const endpointName of ["a", "b", "c"])
      await plane.register({ ...endpoint(), endpoint: endpointName } as never);
    await read(echo, 3);
    expect(metrics.value("muster_plane_watch_overflows_total")).toBe(1);
    expect(told(await read(stream, 4)).at(-1)).toBe("= 3");
  });

  it("takes its defaults from the plane's options", async () => {
    const plane = createKvDiscovery(createMemoryStore(), { resync: false });
    await plane.register(endpoint("h:1"));
    const quiet = await plane.listAndWatch(instances);
    const loud = await plane.listAndWatch(instances, { resync: true });
    expect(told(await read(loud, 2))).toEqual(["+ h:1", "= 1"]);
    expect(told(await read(quiet, 1))).toEqual(["+ h:1"]);
    await expect(plane.listAndWatch(instances, { queueLimit: 0 })).rejects.toEqual(
      code("CONFIG_INVALID"),
    );
  });
});

describe("the end of a watch", () => {
  /** A store with one watch that the test drives. */
  function driven(events: AsyncIterableIterator<WatchEvent>): KeyValueStore {
    const store = createMemoryStore();
    return new Proxy(store, {
      get: (target, name) =>
        name === "bucket"
          ? (bucket: string) => Object.assign(target.bucket(bucket), { watch: async () => events })
          : Reflect.get(target, name, target),
    });
  }

  it("is what the store cannot mend, after what it said before", async () => {
    const lost = new MusterError("STORE_LEASE_LOST", "gone");
    async function* events(): AsyncGenerator<WatchEvent> {
      yield { type: "Resync", entries: new Map() };
      throw lost;
    }
    const stream = await createKvDiscovery(driven(events())).listAndWatch(instances);
    expect(told(await read(stream, 1))).toEqual(["= 0"]);
    await expect(stream.next()).rejects.toBe(lost);
    expect((await stream.next()).done).toBe(true);
  });

  it("returns the store's watch when the reader leaves or aborts", async () => {
    for (const leave of ["return", "abort"] as const) {
      const returned = vi.fn();
      const events: AsyncIterableIterator<WatchEvent> = {
        next: () => new Promise(() => undefined),
        return: async () => returned() ?? { value: undefined, done: true },
        [Symbol.asyncIterator]: () => events,
      };
      const controller = new AbortController();
      const { signal } = controller;
      const stream = await createKvDiscovery(driven(events)).listAndWatch(instances, { signal });
      if (leave === "return") await stream.return?.();
      else controller.abort();
      expect(returned).toHaveBeenCalledTimes(1);
      expect((await stream.next()).done).toBe(true);
    }
  });

  it("is an error of the caller who aborts or closes during the set-up", async () => {
    const { plane } = planeWorld();
    const controller = new AbortController();
    const watching = plane.listAndWatch(instances, { signal: controller.signal });
    controller.abort();
    await expect(watching).rejects.toEqual(code("PLANE_ABORTED"));
    const closing = plane.listAndWatch(instances);
    await plane.close();
    await expect(closing).rejects.toEqual(code("PLANE_CLOSED"));
  });

  it("comes with the context's signal, which takes what was registered along", async () => {
    const registry = createMemoryRegistry();
    const controller = new AbortController();
    const { signal } = controller;
    const plane = createKvDiscovery(createMemoryStore({ registry }), { context: { signal } });
    const stream = await plane.listAndWatch(instances);
    await plane.register(endpoint());
    controller.abort();
    for await (const { type } of stream) expect(type).not.toBe("Removed");
    expect(registry.size).toBe(0);
    await expect(plane.check()).rejects.toEqual(code("PLANE_CLOSED"));
  });
});
