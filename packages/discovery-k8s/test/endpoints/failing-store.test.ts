import { afterEach, beforeEach, expect, it } from "vitest";
import { Following, type FollowingOptions } from "./following.ts";
import { installPools, resources } from "./objects.ts";
import { type FakeWorld, openFakeWorld } from "./world.ts";

let world: FakeWorld;
beforeEach(async () => {
  world = await openFakeWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const labels = { app: "vllm" };
const pool = (namespace: string): FollowingOptions["config"] => ({
  inferencePool: { name: "llama", namespace },
});
const selector = (...namespaces: string[]): FollowingOptions["config"] => ({
  selector: { matchLabels: labels, ports: [8000], namespaces },
});

it.each([
  ["a pool", pool],
  ["several namespaces", selector],
])(
  "a store that fails ends the start over %s with its error, and every watch",
  async (_, config) => {
    const { api, cluster, namespace, objects, server } = world;
    await installPools(api, resources.pools);
    await objects.pool("llama", labels, [8000]);
    await objects.pod("a", { labels });
    const other = await world.another();
    const following = new Following({
      config: config(namespace, other.namespace),
      cluster,
      onUpsert() {
        throw new Error("the store is full");
      },
    });
    await expect(following.ended).rejects.toThrow("the store is full");
    await expect.poll(() => server.openWatches).toBe(0);
  },
);
