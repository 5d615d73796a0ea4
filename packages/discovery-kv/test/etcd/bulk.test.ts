import type { Duplex } from "node:stream";
import type { EtcdStoreConfig } from "@muster/discovery-kv/etcd";
import { describeWith, testTls, until } from "@muster/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startTamperer } from "./tamper.ts";
import { EtcdWorld } from "./world.ts";

vi.setConfig({ testTimeout: 30_000 });

const many = 2500;
const value = "ä🚀 ".repeat(20);
const { ca: caPath, client } = testTls;

describeWith("etcd", describe)("reading many records of an etcd store", () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
  });
  afterEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());

  const fallbacks = (of = world): unknown[] =>
    of.lines.filter(({ message }) => message.includes("gRPC did not work"));

  async function takesTheShortCut(of: EtcdWorld, config: Partial<EtcdStoreConfig>): Promise<void> {
    const expected = await of.fill("b", many, value);
    await of.etcd.put("b/ключ", "");
    await of.etcd.put("b0", "beyond");
    const store = of.store(undefined, config);
    expect(await store.bucket("b").entries()).toEqual(expected.set("ключ", ""));
    expect(fallbacks(of)).toEqual([]);
  }

  it("takes the short cut", () => takesTheShortCut(world, {}));

  it("takes it with a client certificate", async () => {
    await using secure = await EtcdWorld.start({ tls: "server" });
    const tls = { caPath, certPath: client.cert, keyPath: client.key };
    await takesTheShortCut(secure, { tls });
  });

  it("takes it with a password", async () => {
    await using closed = await EtcdWorld.start();
    await closed.etcd.enableAuth("worker", "secret");
    await takesTheShortCut(closed, { username: "worker", password: "secret" });
  });

  it("sees one moment, whatever is written meanwhile", async () => {
    await world.fill("b", many, "before");
    const store = world.store();
    for (let round = 0; round < 5; round++) {
      const reading = store.bucket("b").entries();
      await world.fill("b", many, `round ${round}`);
      // each write is of 100 records at once
      const counts = new Map<string, number>();
      for (const each of (await reading).values()) counts.set(each, (counts.get(each) ?? 0) + 1);
      for (const count of counts.values()) expect(count % 100).toBe(0);
    }
    expect(fallbacks()).toEqual([]);
  });

  it("goes the long way where HTTP/2 does not pass, and does not try each time", async () => {
    await using plain = await EtcdWorld.start();
    const expected = await plain.fill("b", many, value);
    await using tamperer = await startTamperer(plain.etcd, () => undefined);
    const store = plain.store(tamperer);
    expect(await store.bucket("b").entries()).toEqual(expected);
    expect(await store.bucket("b").entries()).toEqual(expected);
    const pages = tamperer.seen.filter(({ path }) => path === "/v3/kv/range");
    expect(pages).toHaveLength(6);
    expect(fallbacks(plain)).toHaveLength(1);
  });

  it("is free again at once when nobody waits any more, and tries the short cut the next time", async () => {
    await world.fill("b", many, value);
    const caller = { ending: new AbortController() };
    const cut: Duplex[] = [];
    await using tamperer = await startTamperer(
      world.etcd,
      () => undefined,
      (connection) => {
        cut.push(connection);
        caller.ending.abort();
      },
    );
    const bucket = world.store(tamperer, { requestTimeout: "10m" }).bucket("b");
    for (let tries = 1; tries <= 2; tries++) {
      caller.ending = new AbortController();
      const { signal } = caller.ending;
      await expect(bucket.entries({ signal })).rejects.toMatchObject({ code: "PLANE_ABORTED" });
      expect(cut).toHaveLength(tries);
    }
    await until(() => cut.every(({ destroyed }) => destroyed), "all connections are closed");
  });

  it("is over when the store is closed", async () => {
    await world.fill("b", many, value);
    const cut: Duplex[] = [];
    await using tamperer = await startTamperer(
      world.etcd,
      () => undefined,
      (connection) => {
        cut.push(connection);
        void store.close();
      },
    );
    const store = world.store(tamperer, { requestTimeout: "10m" });
    await expect(store.bucket("b").entries()).rejects.toMatchObject({ code: "STORE_CLOSED" });
    await until(() => cut.every(({ destroyed }) => destroyed), "all connections are closed");
  });

  it("reads smaller pages of records that are too large together", async () => {
    await using plain = await EtcdWorld.start();
    await using tamperer = await startTamperer(plain.etcd, () => undefined);
    const large = "x".repeat(1_000_000);
    for (let index = 0; index < 60; index++) await plain.etcd.put(`b/${index}`, large);
    const entries = await plain.store(tamperer, { requestTimeout: "20s" }).bucket("b").entries();
    expect(entries.size).toBe(60);
    expect([...entries.values()].every((each) => each === large)).toBe(true);
  });
});
