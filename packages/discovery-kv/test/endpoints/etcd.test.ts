import kvDiscovery from "@muster/discovery-kv";
import { describeWith, type EtcdServer, startEtcd, startProxy } from "@muster/test-servers";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Following, follow } from "./following.ts";
import { recordOf, served } from "./records.ts";

const [one, two, three] = [served(1, "10.0.0.1"), served(2, "10.0.0.2"), served(3, "10.0.0.3")];
const [first, second, third] = [one, two, three].map(
  ({ namespacedName: { name } }) => `ns/${name}`,
);
const keyOf = (metadata: typeof one): string => `v1/instances/${recordOf(metadata)[0]}`;
const patience = { timeout: 20_000, interval: 20 };
const down = expect.stringMatching(/^degraded STORE_(UNAVAILABLE|TIMEOUT)$/);

describeWith("etcd", describe)("the endpoints of a real etcd", () => {
  let etcd: EtcdServer;
  beforeEach(async () => {
    etcd = await startEtcd();
    for (const metadata of [one, two]) await put(metadata);
  });
  afterEach(() => etcd[Symbol.asyncDispose]());

  const put = (metadata: typeof one): Promise<void> =>
    etcd.put(keyOf(metadata), recordOf(metadata)[1]);
  const start = (endpoints: string): Following => {
    const store = { type: "etcd", endpoints, requestTimeout: "1s" } as const;
    return follow(kvDiscovery.create({ store, namespace: "ns", holdTime: "2s" }));
  };
  const running = async (endpoints = etcd.endpoint): Promise<Following> => {
    const following = start(endpoints);
    await expect.poll(following.ready, patience).toBe(true);
    expect([...following.found.keys()].sort()).toEqual([first, second]);
    following.calls.length = 0;
    return following;
  };
  const test = (name: string, body: () => Promise<void>): void => it(name, body, 60_000);
  const recovered = async ({ calls }: Following): Promise<string[]> => {
    await expect.poll(() => calls, patience).toContain("recovered");
    return calls.filter((call) => !call.startsWith("degraded"));
  };

  test("that is not up yet are waited for", async () => {
    await etcd.kill();
    const { calls, ready, found } = start(etcd.endpoint);
    await expect.poll(() => calls, patience).toContainEqual(down);
    expect(ready()).toBe(false);
    await etcd.restart();
    await expect.poll(ready, patience).toBe(true);
    expect([found.size, calls.at(-1)]).toEqual([2, "recovered"]);
  });

  test("are followed while it runs", async () => {
    const { found } = await running();
    await put(three);
    await etcd.delete(keyOf(one));
    await expect.poll(() => [...found.keys()].sort(), patience).toEqual([second, third]);
  });

  test("stay as they are while it is killed and started again", async () => {
    const following = await running();
    await etcd.kill();
    await expect.poll(() => following.calls, patience).toContainEqual(down);
    expect(following.found.size).toBe(2);
    await etcd.restart();
    expect(await recovered(following)).toEqual(["recovered"]);
  });

  test("stay as they are while it hangs", async () => {
    const following = await running();
    etcd.pause();
    await expect.poll(() => following.calls, patience).toContainEqual(down);
    expect(following.found.size).toBe(2);
    etcd.resume();
    expect(await recovered(following)).toEqual(["recovered"]);
  });

  test("do not hold up a stop while it hangs", async () => {
    const following = await running();
    etcd.pause();
    await following.abort();
    const { abort, calls } = start(etcd.endpoint);
    await expect.poll(() => calls, patience).toContainEqual(down);
    await abort();
  });

  test("behind a network that was cut change by difference, compacted or not", async () => {
    const proxy = await startProxy(etcd.port);
    onTestFinished(() => proxy.close());
    const following = await running(`http://127.0.0.1:${proxy.port}`);
    proxy.cut();
    await expect.poll(() => following.calls, patience).toContainEqual(down);
    await etcd.delete(keyOf(one));
    await put(three);
    await etcd.compact();
    expect([...following.found.keys()].sort()).toEqual([first, second]);
    proxy.heal();
    await expect.poll(() => following.calls.at(-1), patience).toBe(`-${first}`);
    expect(await recovered(following)).toEqual([`+${third}`, "recovered", `-${first}`]);
  });

  test("stay when it comes back with nothing, if their workers register again", async () => {
    const following = await running();
    await etcd.wipe();
    await put(two);
    await put(three);
    await expect.poll(() => following.calls.at(-1), patience).toBe(`-${first}`);
    expect([...following.found.keys()].sort()).toEqual([second, third]);
    expect(following.calls).not.toContain(`-${second}`);
  });
});
