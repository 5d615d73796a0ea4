import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWith, type EtcdServer, startEtcd, startEtcdCluster, until } from "../src/index.ts";

describeWith("etcd", describe)("startEtcd", () => {
  let etcd: EtcdServer;

  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  it("serves, and keeps its data when killed and started again", async () => {
    await etcd.put("a/ä", "1");
    await etcd.kill();
    await expect(etcd.put("a/ä", "2")).rejects.toThrow("ECONNREFUSED");
    await etcd.restart();
    expect(await etcd.read()).toEqual(new Map([["a/ä", "1"]]));
  });

  it("answers nothing while it is paused", async () => {
    etcd.pause();
    let answered = false;
    const put = etcd.put("b", "1").then(() => {
      answered = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    etcd.resume();
    await put;
  });

  it("forgets everything when wiped", async () => {
    await etcd.put("c", "1");
    await etcd.wipe();
    expect(await etcd.read()).toEqual(new Map());
  });

  it("can ask for passwords", async () => {
    await etcd.enableAuth("worker", "secret");
    await etcd.put("d", "1");
    expect(await etcd.read()).toEqual(new Map([["d", "1"]]));
    const anonymous = await fetch(`${etcd.endpoint}/v3/kv/range`, { method: "POST", body: "{}" });
    expect(anonymous.status).not.toBe(200);
  });

  it("can ask for client certificates", async () => {
    await using secure = await startEtcd({ tls: "server" });
    await secure.put("e", "1");
    expect(await secure.read()).toEqual(new Map([["e", "1"]]));
    await expect(fetch(`${secure.endpoint}/health`)).rejects.toThrow();
  });

  it("can be a cluster", { timeout: 30_000 }, async () => {
    const members = await startEtcdCluster(3);
    const [first, second, third] = members;
    await first?.put("f", "1");
    await second?.kill();
    // until it has another leader it answers nothing
    const reads = async (): Promise<boolean> => (await third?.read())?.get("f") === "1";
    await until(() => reads().catch(() => false), "the third to know what the first was told");
    for (const member of members) await member[Symbol.asyncDispose]();
  });
});
