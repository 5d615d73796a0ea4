import { planeBuckets } from "@muster/core/plane";
import { createKvDiscovery } from "@muster/discovery-kv";
import { createMemoryRegistry, createMemoryStore } from "@muster/discovery-kv/memory";
import { describe, expect, it } from "vitest";
import { perform } from "../support/perform.ts";
import { runHistory } from "./history.ts";
import type { FaultWorld } from "./model.ts";
import { seeds } from "./seeds.ts";

function createMemoryWorld(): FaultWorld {
  const registry = createMemoryRegistry();
  const client = () => createMemoryStore({ registry, queueLimit: 8 });
  return {
    patience: 2000,
    faults: [],
    async worker() {
      const plane = createKvDiscovery(client());
      const { instanceId } = plane;
      return { instanceId, run: (action) => perform(plane, action), leave: () => plane.close() };
    },
    reader: async () => createKvDiscovery(client()),
    async contents() {
      const store = client();
      const buckets = Object.values(planeBuckets).map((name) => store.bucket(name).entries());
      return (await Promise.all(buckets)).flatMap((entries) => [...entries.values()]);
    },
  };
}

describe("any history on the memory store ends in agreement", () => {
  it.each(seeds(1, 2, 3, 4, 5))("seed %i", async (seed) => {
    const tally = await runHistory({ world: createMemoryWorld(), seed, steps: 600 });
    console.log(`memory, seed ${seed}:`, tally);
    expect(tally.comparisons).toBeGreaterThan(40);
  });
});
