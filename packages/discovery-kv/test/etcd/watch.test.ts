import { describeWith, startEtcdCluster, until } from "@muster/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { EtcdWorld, hastyClock, WatchReader } from "./world.ts";

vi.setConfig({ testTimeout: 30_000 });

describeWith("etcd", describe)("a watch of an etcd store", () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
  });
  afterEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());

  it("goes on where it was when its connection is dropped, without reading anew", async () => {
    const proxy = await world.proxy();
    await world.etcd.put("b/a", "1");
    const reader = await WatchReader.open(world.store(proxy), "b");
    await reader.sees({ a: "1" });
    for (const value of ["2", "3", "4"]) {
      const before = proxy.accepted;
      proxy.drop();
      await world.etcd.put("b/a", value);
      await world.etcd.put("b/passing", value);
      await world.etcd.delete("b/passing");
      await reader.sees({ a: value });
      await until(() => proxy.accepted > before, "it connects again");
    }
    expect(reader.resyncs).toBe(1);
    const passing = reader.events.flatMap((event) =>
      "key" in event && event.key === "passing" ? [event.type] : [],
    );
    expect(passing).toEqual(["Put", "Delete", "Put", "Delete", "Put", "Delete"]);
  });

  it("reads anew when what it missed was compacted, and tells of the interruption", async () => {
    const proxy = await world.proxy();
    await world.etcd.put("b/old", "1");
    await world.etcd.put("b/stays", "1");
    const reader = await WatchReader.open(world.store(proxy), "b");
    await reader.sees({ old: "1", stays: "1" });
    proxy.cut();
    await until(() => reader.interruptions.length === 1, "the interruption is told");
    expect(reader.interruptions[0]).toMatchObject({ code: "STORE_UNAVAILABLE" });
    await world.etcd.delete("b/old");
    await world.etcd.put("b/new", "1");
    await world.etcd.compact();
    proxy.heal();
    await reader.sees({ new: "1", stays: "1" });
    expect(reader.resyncs).toBe(2);
    expect(reader.interruptions[1]).toBeUndefined();
    expect(reader.interruptions).toHaveLength(2);
    expect(world.counts.get("muster_store_etcd_resyncs_total")).toBe(1);
    expect(world.counts.get("muster_store_etcd_interruptions_total")).toBe(1);
  });

  it.each([
    ["further", ["a", "x", "c", "d", "e"]],
    ["exactly as far, with the same keys", ["a", "b", "c"]],
  ])("finds out that the store was wiped, when it has grown %s again", async (_, keys) => {
    const proxy = await world.proxy();
    await world.etcd.wipe();
    for (const key of ["a", "b", "c"]) await world.etcd.put(`b/${key}`, "before");
    const reader = await WatchReader.open(world.store(proxy), "b");
    await reader.sees({ a: "before", b: "before", c: "before" });
    proxy.cut();
    await world.etcd.wipe();
    for (const key of keys) await world.etcd.put(`b/${key}`, "after");
    proxy.heal();
    await reader.sees(Object.fromEntries(keys.map((key) => [key, "after"])));
  });

  it("goes on after the server was killed and restarted", async () => {
    await world.etcd.put("b/a", "1");
    const reader = await WatchReader.open(world.store(), "b");
    for (const value of ["2", "3"]) {
      await world.etcd.kill();
      await world.etcd.restart();
      await world.etcd.put("b/a", value);
      await reader.sees({ a: value });
    }
    await world.etcd.restart();
    await world.etcd.put("b/a", "4");
    await reader.sees({ a: "4" });
  });

  it("finds a connection that is half open", async () => {
    const proxy = await world.proxy();
    const reader = await WatchReader.open(world.store(proxy, {}, { clock: hastyClock }), "b");
    await world.etcd.put("b/a", "1");
    await reader.sees({ a: "1" });
    await until(() => reader.events.length === 2, "it was told over the watch");
    proxy.stall();
    await world.etcd.put("b/a", "2");
    await until(() => reader.interruptions.length > 0, "the interruption is told");
    expect(reader.interruptions[0]).toMatchObject({ code: "STORE_TIMEOUT" });
    proxy.heal();
    await reader.sees({ a: "2" });
    expect(reader.interruptions.at(-1)).toBeUndefined();
  });

  it("finds a connection that is dead while others work", async () => {
    const proxy = await world.proxy();
    const reader = await WatchReader.open(world.store(proxy, {}, { clock: hastyClock }), "b");
    await world.etcd.put("b/a", "1");
    await until(() => reader.events.length === 2, "it was told over the watch");
    proxy.freeze();
    await world.etcd.put("b/a", "2");
    await reader.sees({ a: "2" });
    expect(reader.interruptions).toEqual([]);
  });

  it("stays quiet on a store that changes elsewhere, and knows how far it has come", async () => {
    const proxy = await world.proxy();
    const store = world.store(proxy, {}, { clock: hastyClock });
    await world.etcd.put("b/a", "1");
    const reader = await WatchReader.open(store, "b");
    await until(() => proxy.connections > 1, "the watch is open");
    const asked = proxy.received;
    await world.etcd.put("elsewhere", "1");
    await until(() => proxy.received > asked, "a heartbeat");
    await world.etcd.put("b/a", "2");
    await reader.sees({ a: "2" });
    expect(reader.resyncs).toBe(1);
    expect(reader.interruptions).toEqual([]);
  });

  it("puts together what comes in pieces", async () => {
    const proxy = await world.proxy();
    proxy.fragment(7);
    const reader = await WatchReader.open(world.store(proxy), "b");
    const text = "ä🚀日本語".repeat(100);
    await world.etcd.put("b/ключ🗝", text);
    await reader.sees({ "ключ🗝": text });
  });

  it("takes a range as one path and no more", async () => {
    const store = world.store();
    for (const key of ["b/ns", "b/ns/a", "b/ns1/a", "b/ns-1/a", "b/ns.", "b2/ns/a", "c/ns/a"])
      await world.etcd.put(key, "1");
    const reader = await WatchReader.open(store, "b", { prefix: "ns/" });
    await reader.sees({ ns: "1", "ns/a": "1" });
    for (const key of ["b/ns1/b", "b/ns!", "b/ns/b"]) await world.etcd.put(key, "1");
    await reader.sees({ ns: "1", "ns/a": "1", "ns/b": "1" });
    await world.etcd.delete("b/ns-1/a");
    await world.etcd.delete("b/ns");
    await reader.sees({ "ns/a": "1", "ns/b": "1" });
    const keys = reader.events.flatMap((event) => ("key" in event ? [event.key] : []));
    expect(keys).toEqual(["ns/b", "ns"]);
  });

  it("reads many records page by page, all of one moment", async () => {
    const proxy = await world.proxy();
    const value = "x".repeat(300);
    const expected = await world.fill("b", 6000, value);
    const store = world.store(proxy);
    expect(await store.bucket("b").entries()).toEqual(expected);
    const reader = await WatchReader.open(store, "b");
    await until(() => reader.resyncs === 1, "the first Resync");
    expect(reader.events).toEqual([{ type: "Resync", entries: expected }]);
    proxy.drop();
    await world.etcd.put("b/0000", "changed");
    await until(() => reader.events.length > 1, "the change");
    expect(reader.events.slice(1)).toEqual([{ type: "Put", key: "0000", value: "changed" }]);
  });

  it("lets go of its connection when it is returned, aborted or closed", async () => {
    const proxy = await world.proxy();
    const store = world.store(proxy, { requestTimeout: "1s" });
    const stop = new AbortController();
    const watches = await Promise.all([
      store.bucket("b").watch(),
      store.bucket("b").watch({ signal: stop.signal }),
      store.bucket("b").watch(),
    ]);
    // three calls at once, and three watches
    await until(() => proxy.connections === 6, "three watches are open");
    await watches[0].return?.();
    await until(() => proxy.connections === 5, "the returned one is closed");
    stop.abort();
    await until(() => proxy.connections === 4, "the aborted one is closed");
    await store.close();
    await until(() => proxy.connections === 0, "all are closed");
  });

  it("does not stay silent on a server that is cut off from its cluster", async () => {
    const members = await startEtcdCluster(3);
    const [first, second, third] = members;
    try {
      await first?.put("b/a", "1");
      const store = world.store(first, { requestTimeout: "1s" });
      const reader = await WatchReader.open(store, "b");
      await reader.sees({ a: "1" });
      await second?.kill();
      await third?.kill();
      await until(() => reader.interruptions.length > 0, "the interruption is told");
      await Promise.all([second?.restart(), third?.restart()]);
      await first?.put("b/a", "2");
      await reader.sees({ a: "2" });
      expect(reader.interruptions.at(-1)).toBeUndefined();
      await store.close();
    } finally {
      for (const member of members) await member[Symbol.asyncDispose]();
    }
  });
});
