import { MusterError } from "@muster/core";
import type { KeyValueStore } from "@muster/core/plane";
import { createEtcdStore } from "@muster/discovery-kv/etcd";
import { describeWith, startEtcd, startNats, until } from "@muster/test-servers";
import { describe, expect, it, vi } from "vitest";
import { WatchReader } from "./etcd/world.ts";
import { Bench } from "./nats/bench.ts";

vi.setConfig({ testTimeout: 30_000 });

// a million is more than a test writes
vi.mock("../src/record-limit.ts", () => ({
  maxRecords: 3,
  checkRoom(present: number, where: string): void {
    if (present >= 3) throw new MusterError("STORE_TOO_LARGE", `more than 3 records ${where}`);
  },
}));

const tooLarge = { code: "STORE_TOO_LARGE" };

/** What every store does that others may fill. */
async function refusesMore(store: KeyValueStore): Promise<void> {
  const bucket = store.bucket("b");
  for (const key of ["k1", "k2", "k3"]) await bucket.create(key, "1");
  const reader = await WatchReader.open(store, "b");
  await reader.sees({ k1: "1", k2: "1", k3: "1" });
  await bucket.create("k4", "1");
  await until(() => reader.interruptions.length > 0, "the watch is interrupted");
  expect(reader.interruptions[0]).toMatchObject(tooLarge);
  await expect(bucket.entries()).rejects.toMatchObject(tooLarge);
  await expect(bucket.watch()).rejects.toMatchObject(tooLarge);
  await reader.sees({ k1: "1", k2: "1", k3: "1" });
  await bucket.delete("k1");
  await reader.sees({ k2: "1", k3: "1", k4: "1" });
  expect(reader.interruptions.at(-1)).toBeUndefined();
}

describeWith("etcd", describe)("an etcd store with more records than are held", () => {
  it("refuses to read it, and keeps what a watch has until there is room", async () => {
    await using etcd = await startEtcd();
    await using store = createEtcdStore({ endpoints: `127.0.0.1:${etcd.port}` });
    await refusesMore(store);
  });
});

describeWith("nats", describe)("a NATS store with more records than are held", () => {
  it("refuses to read it, and keeps what a watch has until there is room", async () => {
    await using server = await startNats();
    await using bench = new Bench();
    await refusesMore(bench.store(server.url));
  });

  it("refuses to follow who is alive when there are more owners", async () => {
    await using server = await startNats();
    await using bench = new Bench();
    const reading = bench.store(server.url, { ttl: "60s" });
    for (const name of ["a", "b", "c", "d"])
      await bench.store(server.url, { ttl: "60s" }).bucket(name).create("k", "1");
    await expect(reading.bucket("a").watch()).rejects.toMatchObject(tooLarge);
  });
});
