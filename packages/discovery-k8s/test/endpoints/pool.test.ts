import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installPools, resources } from "./objects.ts";
import { openWorld, type World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await openWorld();
  await installPools(world.api, resources.pools);
  await installPools(world.api, resources.alphaPools);
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const pool = () => ({ inferencePool: { name: "llama", namespace: world.namespace } });
const llama = { app: "llama" };

async function twoPods(): Promise<void> {
  await world.objects.pod("a", { labels: llama });
  await world.objects.pod("b", { labels: { app: "qwen" }, addresses: ["10.0.0.2"] });
}

describe("a pool's pods become endpoints", () => {
  it("in version v1, with all its ports", async () => {
    await twoPods();
    await world.objects.pool("llama", llama, [8000, 8001]);
    const following = world.follow(pool());
    await following.isReady();
    expect(following.addresses).toEqual({
      "a-rank-0": "10.0.0.1:8000",
      "a-rank-1": "10.0.0.1:8001",
    });
    await following.says(undefined);
  });

  it("in version v1alpha2", async () => {
    await twoPods();
    await world.objects.alphaPool("llama", { app: "qwen" }, 8200);
    const following = world.follow(pool());
    await following.isReady();
    expect(following.addresses).toEqual({ "b-rank-0": "10.0.0.2:8200" });
  });

  it("in v1 when both versions have it, and in the other when v1's is gone", async () => {
    const { objects } = world;
    await twoPods();
    await objects.alphaPool("llama", { app: "qwen" }, 8200);
    const following = world.follow(pool());
    await following.has({ "b-rank-0": "10.0.0.2:8200" });
    await objects.pool("llama", llama, [8000]);
    await following.has({ "a-rank-0": "10.0.0.1:8000" });
    await objects.remove(resources.pools, "llama");
    await following.has({ "b-rank-0": "10.0.0.2:8200" });
    expect(following.outage).toBeUndefined();
  });

  it("and change when its ports or its selector change", async () => {
    const { objects } = world;
    await twoPods();
    await objects.pool("llama", llama, [8000, 8001]);
    const following = world.follow(pool());
    await following.isReady();
    const change = (spec: object) => objects.patch(resources.pools, "llama", { spec });
    await change({ targetPorts: [{ number: 8000 }] });
    await following.has({ "a-rank-0": "10.0.0.1:8000" });
    await change({ targetPorts: [{ number: 9000 }, { number: 8000 }] });
    await following.has({ "a-rank-0": "10.0.0.1:9000", "a-rank-1": "10.0.0.1:8000" });
    await change({ selector: { matchLabels: { app: "qwen" } } });
    await following.has({ "b-rank-0": "10.0.0.2:9000", "b-rank-1": "10.0.0.2:8000" });
    await objects.status("b", { ready: false });
    await following.has({});
  });

  it("keep on when only what is not about them changes", async () => {
    await twoPods();
    await world.objects.pool("llama", llama, [8000]);
    const following = world.follow(pool());
    await following.isReady();
    const { log } = following;
    const before = log.length;
    await world.objects.patch(resources.pools, "llama", { metadata: { labels: { a: "b" } } });
    await world.objects.pod("c", { labels: llama, addresses: ["10.0.0.3"] });
    await following.has({ "a-rank-0": "10.0.0.1:8000", "c-rank-0": "10.0.0.3:8000" });
    expect(log.length).toBe(before + 1);
  });

  it("of the pool's name and namespace alone", async () => {
    const other = await world.another();
    await twoPods();
    await other.pool("llama", { app: "qwen" }, [1]);
    await world.objects.pool("lama", { app: "qwen" }, [2]);
    await world.objects.pool("llama", llama, [8000]);
    const following = world.follow(pool());
    await following.isReady();
    expect(following.addresses).toEqual({ "a-rank-0": "10.0.0.1:8000" });
  });

  it("when it is created, and stay, still followed, when it is deleted", async () => {
    const { objects } = world;
    await twoPods();
    const following = world.follow(pool());
    await following.says("KUBE_NOT_FOUND");
    expect(following.outage?.message).toContain(`"llama" in namespace "${world.namespace}"`);
    expect(following.ready).toBe(false);
    await objects.pool("llama", llama, [8000]);
    await following.isReady();
    await following.says(undefined);
    await objects.remove(resources.pools, "llama");
    await following.says("KUBE_NOT_FOUND");
    expect(following.addresses).toEqual({ "a-rank-0": "10.0.0.1:8000" });
    await objects.pod("c", { labels: llama, addresses: ["10.0.0.3"] });
    await following.has({ "a-rank-0": "10.0.0.1:8000", "c-rank-0": "10.0.0.3:8000" });
    await objects.pool("llama", { app: "qwen" }, [8000]);
    await following.has({ "b-rank-0": "10.0.0.2:8000" });
    await following.says(undefined);
  });

  it("as before while it makes no sense", async () => {
    const { objects } = world;
    await twoPods();
    await objects.pool("llama", llama, [8000]);
    const following = world.follow(pool());
    await following.isReady();
    await objects.patch(resources.pools, "llama", { spec: { targetPorts: [] } });
    await following.says("KUBE_INVALID");
    expect(following.addresses).toEqual({ "a-rank-0": "10.0.0.1:8000" });
    await objects.patch(resources.pools, "llama", { spec: { targetPorts: [{ number: 8002 }] } });
    await following.has({ "a-rank-0": "10.0.0.1:8002" });
    await following.says(undefined);
  });
});
