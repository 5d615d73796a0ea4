import { systemClock } from "@muster/core";
import { describeWith, until } from "@muster/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startTamperer } from "./tamper.ts";
import { EtcdWorld, WatchReader } from "./world.ts";

vi.setConfig({ testTimeout: 30_000 });

describeWith("etcd", describe)("the lease of an etcd store", () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
  });
  afterEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());

  const leases = async (): Promise<string[]> => {
    const answer = await world.etcd.call("/v3/lease/leases", {});
    return ((answer.leases ?? []) as { ID: string }[]).map(({ ID }) => ID);
  };
  const losses = (): number => world.counts.get("muster_store_etcd_lease_losses_total") ?? 0;

  it("is granted at the first write, under our id", async () => {
    const store = world.store();
    expect(store.connectionId).toBeGreaterThan(0n);
    await WatchReader.open(store, "b");
    await store.bucket("b").entries();
    expect(await leases()).toEqual([]);
    await Promise.all([store.bucket("b").create("a", "1"), store.bucket("b").create("c", "2")]);
    expect(await leases()).toEqual([String(store.connectionId)]);
  });

  it("takes our keys along at once when we close", async () => {
    const store = world.store(undefined, { ttl: "1h" });
    await store.bucket("b").create("a", "1");
    await world.etcd.put("b/other", "stays");
    await store.close();
    expect(await world.etcd.read()).toEqual(new Map([["b/other", "stays"]]));
    expect(await leases()).toEqual([]);
    expect(await store.closed).toBeUndefined();
  });

  it("keeps what is there when the answer to its grant was lost", async () => {
    const leaseId = 42n;
    await world.etcd.call("/v3/lease/grant", { ID: String(leaseId), TTL: "1" });
    const store = world.store(undefined, { leaseId });
    expect(await store.bucket("b").create("a", "1")).toBe(true);
    expect(losses()).toBe(0);
  });

  it("is not asked for without rest when its life is told as nonsense", async () => {
    const header = { cluster_id: "1", revision: "5", raft_term: "2" };
    const nonsense = JSON.stringify({ header, TTL: "soon" });
    await using tamperer = await startTamperer(undefined, () => ({ body: () => [nonsense] }));
    const store = world.store(tamperer, { requestTimeout: "500ms" });
    const created = store.bucket("b").create("a", "1");
    await expect(created).rejects.toMatchObject({ code: "STORE_RESPONSE" });
    expect(tamperer.seen.length).toBeLessThan(10);
  });

  it("comes back under the same id, with our keys, after we were cut off for too long", async () => {
    const proxy = await world.proxy();
    const [mine, other] = [world.store(proxy), world.store()];
    const bucket = mine.bucket("b");
    await bucket.create("a", "1");
    await bucket.create("removed", "1");
    await bucket.create("changed", "1");
    await bucket.compareAndReplace("changed", { expected: "1", value: "2" });
    await bucket.delete("removed");
    const reader = await WatchReader.open(other, "b");
    proxy.cut();
    await reader.sees({});
    proxy.heal();
    await reader.sees({ a: "1", changed: "2" });
    await until(() => losses() === 1, "the loss is counted");
    expect(await leases()).toEqual([String(mine.connectionId)]);
    expect(world.lines.find(({ level }) => level === "warn")).toMatchObject({
      code: "STORE_LEASE_LOST",
      lease: mine.connectionId.toString(16),
    });
    await until(() => world.counts.get("muster_store_etcd_records_restored_total") === 2, "2 back");
    expect(await bucket.compareAndReplace("changed", { expected: "2", value: "3" })).toBe(true);
  });

  it("comes back after somebody revoked it", async () => {
    const store = world.store();
    await store.bucket("b").create("a", "1");
    const reader = await WatchReader.open(store, "b");
    await world.etcd.call("/v3/lease/revoke", { ID: String(store.connectionId) });
    await until(() => reader.events.some(({ type }) => type === "Delete"), "the key is gone");
    await reader.sees({ a: "1" });
  });

  it("says why it does not come back", async () => {
    let full = false;
    const message = "etcdserver: mvcc: database space exceeded";
    const refusal = { status: 429, body: () => [JSON.stringify({ code: 8, message })] };
    await using tamperer = await startTamperer(world.etcd, ({ path }) =>
      full && path === "/v3/lease/grant" ? refusal : undefined,
    );
    const store = world.store(tamperer);
    await store.bucket("b").create("a", "1");
    full = true;
    await world.etcd.call("/v3/lease/revoke", { ID: String(store.connectionId) });
    const told = (text: string) => world.lines.filter((line) => line.message.includes(text));
    await until(() => told(message).length > 0, "the reason is told");
    expect(told(message)[0]).toMatchObject({ level: "warn", code: "STORE_UNAVAILABLE" });
    full = false;
    await until(() => told("alive again").length > 0, "it is back");
    expect(told(message)).toHaveLength(1);
    await world.holds({ "b/a": "1" });
  });

  it("lets a write through that finds it gone", async () => {
    const store = world.store(undefined, { ttl: "1h" });
    await store.bucket("b").create("a", "1");
    await world.etcd.call("/v3/lease/revoke", { ID: String(store.connectionId) });
    expect(await store.bucket("b").create("c", "2")).toBe(true);
    await world.holds({ "b/a": "1", "b/c": "2" });
    await world.etcd.call("/v3/lease/revoke", { ID: String(store.connectionId) });
    const change = { expected: "1", value: "3" };
    expect(await store.bucket("b").compareAndReplace("a", change)).toBe(true);
    await world.holds({ "b/a": "3", "b/c": "2" });
  });

  it("comes back after the event loop stood still for longer than it lives", async () => {
    const store = world.store();
    await store.bucket("b").create("a", "1");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    await until(() => losses() === 1, "the loss is noticed");
    await world.holds({ "b/a": "1" });
    expect(await store.bucket("b").create("c", "1")).toBe(true);
  });

  it("outlives a server that is killed and started again", async () => {
    const store = world.store(undefined, { ttl: "3s" });
    await store.bucket("b").create("a", "1");
    await world.etcd.kill();
    await world.etcd.restart();
    expect(await store.bucket("b").get("a")).toBe("1");
    await store.bucket("b").create("c", "1");
    expect(losses()).toBe(0);
  });

  it("comes back after the store was wiped", async () => {
    const store = world.store();
    await store.bucket("b").create("a", "1");
    await world.etcd.wipe();
    await world.holds({ "b/a": "1" });
  });

  it("does not bring back what somebody else removed", async () => {
    const [mine, other] = [world.store(), world.store()];
    await mine.bucket("b").create("a", "1");
    await mine.bucket("b").create("removed", "1");
    await other.bucket("b").delete("removed");
    const noticed = (): boolean => world.lines.some((line) => line.key === "b/removed");
    await until(noticed, "the removal is noticed");
    await world.etcd.call("/v3/lease/revoke", { ID: String(mine.connectionId) });
    await until(() => losses() === 1, "the loss is noticed");
    await world.holds({ "b/a": "1" });
  });

  it("leaves alone what somebody else registered meanwhile", async () => {
    const proxy = await world.proxy();
    const [mine, other] = [world.store(proxy), world.store()];
    await mine.bucket("b").create("a", "mine");
    proxy.cut();
    await world.holds({});
    expect(await other.bucket("b").create("a", "theirs")).toBe(true);
    proxy.heal();
    await until(() => losses() === 1, "the loss is noticed");
    await mine.bucket("b").create("c", "1");
    await world.holds({ "b/a": "theirs", "b/c": "1" });
  });

  it("can be the end when it is lost, as in the original", async () => {
    const store = world.store(undefined, { leaseLoss: "fatal" });
    const bucket = store.bucket("b");
    await bucket.create("a", "1");
    const reader = await WatchReader.open(store, "b");
    await world.etcd.call("/v3/lease/revoke", { ID: String(store.connectionId) });
    const lost = { code: "STORE_LEASE_LOST" };
    expect(await store.closed).toMatchObject(lost);
    expect(await reader.ended).toMatchObject(lost);
    await expect(bucket.create("a", "1")).rejects.toMatchObject(lost);
    await expect(bucket.get("a")).rejects.toMatchObject(lost);
    await expect(bucket.delete("a")).rejects.toMatchObject(lost);
    await expect(bucket.entries()).rejects.toMatchObject(lost);
    await expect(bucket.watch()).rejects.toMatchObject(lost);
    await expect(store.check()).rejects.toMatchObject(lost);
    await world.holds({});
  });

  it("is the end by the local clock too, where losing it is", async () => {
    const proxy = await world.proxy();
    const store = world.store(proxy, { leaseLoss: "fatal", requestTimeout: "500ms" });
    await store.bucket("b").create("a", "1");
    proxy.stall();
    expect(await store.closed).toMatchObject({ code: "STORE_LEASE_LOST" });
  });

  it("does not mind the wall clock", async () => {
    let jumped = 0;
    const clock = { ...systemClock, now: () => Date.now() + jumped };
    const store = world.store(undefined, {}, { clock });
    await store.bucket("b").create("a", "1");
    jumped = 86_400_000;
    await store.bucket("b").create("c", "1");
    jumped = -86_400_000;
    await store.bucket("b").create("d", "1");
    expect(losses()).toBe(0);
    expect(world.lines.filter(({ level }) => level !== "debug")).toEqual([]);
  });
});
