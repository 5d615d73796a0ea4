import { createEtcdStore } from "@muster/discovery-kv/etcd";
import {
  describeWith,
  type EtcdServer,
  freePorts,
  startEtcdCluster,
  startProxy,
  until,
} from "@muster/test-servers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WatchReader } from "./world.ts";

vi.setConfig({ testTimeout: 60_000 });

describeWith("etcd", describe)("an etcd store with several endpoints", () => {
  let members: EtcdServer[];
  beforeAll(async () => {
    members = await startEtcdCluster(3);
  });
  afterAll(async () => {
    for (const member of members) await member[Symbol.asyncDispose]();
  });

  const urls = (): string[] => members.map(({ endpoint }) => endpoint);

  it("skips one that is not there, and stays with one that is", async () => {
    const [dead = 0] = await freePorts(1);
    const [first = ""] = urls();
    const [, address = ""] = first.split("//");
    await using store = createEtcdStore({ endpoints: `http://127.0.0.1:${dead}, ${address} ,` });
    await store.check();
    expect(await store.bucket("skips").create("a", "1")).toBe(true);
    const reader = await WatchReader.open(store, "skips");
    await store.bucket("skips").delete("a");
    await reader.sees({});
    expect(reader.interruptions).toEqual([]);
  });

  it("skips one that does not answer", async () => {
    const proxy = await startProxy(members[0]?.port ?? 0);
    const [, second = ""] = urls();
    proxy.stall();
    await using store = createEtcdStore({
      endpoints: [`127.0.0.1:${proxy.port}`, second],
      requestTimeout: "1s",
    });
    expect(await store.bucket("silent").create("a", "1")).toBe(true);
    expect(await store.bucket("silent").get("a")).toBe("1");
    await proxy.close();
  });

  it("says why, when none answers", async () => {
    const ports = await freePorts(2);
    const endpoints = ports.map((port) => `127.0.0.1:${port}`);
    await using store = createEtcdStore({ endpoints, requestTimeout: "400ms" });
    const refused = { code: "STORE_UNAVAILABLE", message: expect.stringContaining("ECONNREFUSED") };
    await expect(store.check()).rejects.toMatchObject(refused);
    await expect(store.bucket("b").get("a")).rejects.toMatchObject(refused);
    await expect(store.bucket("b").create("a", "1")).rejects.toMatchObject(refused);
    await expect(store.bucket("b").watch()).rejects.toMatchObject(refused);
  });

  it("keeps its lease and its watches through the death of each member", async () => {
    const endpoints = urls();
    await using store = createEtcdStore({ endpoints, ttl: "10s" });
    const bucket = store.bucket("deaths");
    await bucket.create("stays", "1");
    const reader = await WatchReader.open(store, "deaths");
    for (const [index, member] of members.entries()) {
      await member.kill();
      await until(
        () =>
          bucket.create(`${index}`, "1").then(
            (done) => done,
            () => false,
          ),
        "a write without that member",
      );
      await until(() => String(index) in reader.view, "the watch shows it");
      await member.restart();
    }
    await reader.sees({ 0: "1", 1: "1", 2: "1", stays: "1" });
    expect(reader.resyncs).toBe(1);
  });
});
