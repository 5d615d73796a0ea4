import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeWith, testTls, until } from "@muster/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createEtcdStore } from "../../src/etcd/index.ts";
import { startTamperer } from "./tamper.ts";
import { EtcdWorld, WatchReader } from "./world.ts";

vi.setConfig({ testTimeout: 30_000 });

const password = "not-to-be-seen";

describeWith("etcd", describe)("an etcd store with a password", () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start();
    await world.etcd.enableAuth("worker", password);
  });
  afterEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());

  const login = { username: "worker", password };

  it("says why no server answers, not that there is no token", async () => {
    const store = world.store({ port: 1 }, { ...login, requestTimeout: "500ms" });
    await expect(store.bucket("b").entries()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("reads, writes, watches and leaves", async () => {
    const store = world.store(undefined, login);
    const reader = await WatchReader.open(store, "b");
    expect(await store.bucket("b").create("a", "1")).toBe(true);
    await reader.sees({ a: "1" });
    await store.close();
    expect(await world.etcd.read()).toEqual(new Map());
  });

  it("asks for a token once, and again when the server has forgotten it", async () => {
    await using tamperer = await startTamperer(world.etcd, () => undefined);
    const store = world.store(tamperer, { ...login, ttl: "5s" });
    const logins = (): number =>
      tamperer.seen.filter(({ path }) => path === "/v3/auth/authenticate").length;
    const reader = await WatchReader.open(store, "b");
    const write = (name: string): Promise<boolean[]> =>
      Promise.all([1, 2, 3, 4].map((each) => store.bucket("b").create(`${name}-${each}`, "")));
    await write("first");
    expect(logins()).toBe(1);
    await world.etcd.restart();
    expect(await write("second")).toEqual([true, true, true, true]);
    await until(() => Object.keys(reader.view).length === 8, "the watch shows all");
    // the lease's own connection may have met the old token too, but not each call
    expect(logins()).toBeLessThan(4);
    expect(tamperer.seen.some(({ authorization }) => authorization?.includes(password))).toBe(
      false,
    );
  });

  it.each([
    ["a wrong password", { username: "worker", password: "wrong" }],
    ["an unknown user", { username: "nobody", password }],
    ["no password", {}],
  ])("is told that %s is refused, and does not storm", async (_, wrong) => {
    await using tamperer = await startTamperer(world.etcd, () => undefined);
    const store = world.store(tamperer, wrong);
    const bucket = store.bucket("b");
    const calls = [store.check(), bucket.get("a"), bucket.entries(), bucket.watch()];
    const results = await Promise.allSettled([...calls, ...calls]);
    for (const result of results) {
      const { reason } = result as PromiseRejectedResult;
      expect(reason).toMatchObject({ code: "STORE_AUTH" });
      expect(String(reason)).not.toMatch(/not-to-be-seen|wrong/);
    }
    const logins = tamperer.seen.filter(({ path }) => path === "/v3/auth/authenticate");
    expect(logins.length).toBeLessThan(2);
  });

  it("asks for no more than the keys of the plane", async () => {
    await using limited = await EtcdWorld.start();
    await limited.etcd.enableAuth("worker", password, "v1/");
    const store = limited.store(undefined, login);
    await store.check();
    const reader = await WatchReader.open(store, "v1/instances");
    expect(await store.bucket("v1/instances").create("a", "1")).toBe(true);
    await reader.sees({ a: "1" });
    await expect(store.bucket("b").create("a", "1")).rejects.toMatchObject({
      code: "STORE_AUTH",
      message: expect.stringContaining("let the user's role read and write"),
    });
    await store.close();
    expect(await limited.etcd.read()).toEqual(new Map());
  });

  it("needs no password where none is asked for", async () => {
    await using open = await EtcdWorld.start();
    const store = open.store(undefined, login);
    expect(await store.bucket("b").create("a", "1")).toBe(true);
    await open.etcd.enableAuth("worker", password);
    expect(await store.bucket("b").create("c", "1")).toBe(true);
  });
});

describeWith("etcd", describe)("an etcd store with TLS and a client certificate", () => {
  let world: EtcdWorld;
  beforeAll(async () => {
    world = await EtcdWorld.start({ tls: "server" });
  });
  afterEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());

  const { ca: caPath, client } = testTls;
  const tls = { caPath, certPath: client.cert, keyPath: client.key };

  it("reads, writes, watches and leaves", async () => {
    const store = world.store(undefined, { tls });
    const reader = await WatchReader.open(store, "b");
    expect(await store.bucket("b").create("a", "1")).toBe(true);
    await reader.sees({ a: "1" });
    await store.close();
    expect(await world.etcd.read()).toEqual(new Map());
  });

  it("takes certificates as text too", async () => {
    const [ca, cert, key] = [caPath, client.cert, client.key].map((path) =>
      readFileSync(path, "utf8"),
    );
    const store = world.store(undefined, { tls: { ca, cert, key } });
    await store.check();
  });

  it("follows files that are replaced", async () => {
    const folder = mkdtempSync(join(tmpdir(), "muster-tls-"));
    const file = join(folder, "ca.pem");
    copyFileSync(testTls.otherCa, file);
    const clock = { now: Date.now, monotonic: () => performance.now() * 100, schedule };
    const store = world.store(undefined, { tls: { ...tls, caPath: file } }, { clock });
    await expect(store.check()).rejects.toMatchObject({ code: "STORE_TLS" });
    copyFileSync(caPath, file);
    await until(
      () =>
        store.check().then(
          () => true,
          () => false,
        ),
      "the new file is taken",
    );
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["another CA", { ...tls, caPath: testTls.otherCa }, "STORE_TLS"],
    ["the system's CAs", true, "STORE_TLS"],
    ["another name", { ...tls, serverName: "elsewhere.test" }, "STORE_TLS"],
    ["no client certificate", { caPath }, "STORE_TLS"],
    ["a file that is not there", { ...tls, caPath: "/nowhere/ca.pem" }, "STORE_CONFIG"],
  ])("is told what is wrong with %s", async (_, wrong, code) => {
    const store = world.store(undefined, { tls: wrong, requestTimeout: "500ms" });
    await expect(store.check()).rejects.toMatchObject({ code });
  });

  it("is told what etcd's gateway makes of names in certificates, where there are users", async () => {
    await using both = await EtcdWorld.start({ tls: "server" });
    await both.etcd.enableAuth("worker", password);
    const store = both.store(undefined, {
      tls,
      username: "worker",
      password,
      requestTimeout: "500ms",
    });
    await expect(store.check()).rejects.toMatchObject({
      code: "STORE_AUTH",
      message: expect.stringContaining("certificate without CN"),
    });
  });

  it("takes the name that the certificate is for", async () => {
    await using other = await EtcdWorld.start({ tls: "misnamed" });
    const misnamed = other.store(undefined, { tls, requestTimeout: "500ms" });
    await expect(misnamed.check()).rejects.toMatchObject({ code: "STORE_TLS" });
    const named = other.store(undefined, { tls: { ...tls, serverName: "store.test" } });
    await named.check();
    const reader = await WatchReader.open(named, "b");
    await named.bucket("b").create("a", "1");
    await reader.sees({ a: "1" });
  });

  it("is told that a server speaks no TLS, or nothing else", async () => {
    await using plain = await EtcdWorld.start();
    const store = plain.store(undefined, { tls, requestTimeout: "500ms" });
    await expect(store.check()).rejects.toThrow(/TLS/);
    // a server that hangs up instead of answering
    const rude = createServer((socket) => socket.resetAndDestroy()).listen(0, "127.0.0.1");
    await once(rude, "listening");
    const { port } = rude.address() as AddressInfo;
    const cut = createEtcdStore({
      endpoints: `https://127.0.0.1:${port}`,
      requestTimeout: "500ms",
    });
    await expect(cut.check()).rejects.toThrow(/TLS handshake/);
    await cut.close();
    rude.close();
    const bare = world.store(undefined, { requestTimeout: "500ms" });
    await expect(bare.check()).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
  });
});

/** Waits are as long as ever. */
function schedule(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
