import { describe, expect, it } from "vitest";
import { seeds } from "../../random.ts";
import { openFakeWorld } from "../world.ts";
import { runHistory } from "./history.ts";

describe("any history of pods, slices, pools and faults ends in agreement", () => {
  it.each(seeds(1, 2, 3))("seed %i", { timeout: 60_000 }, async (seed) => {
    await using world = await openFakeWorld();
    const tally = await runHistory({ world, seed, steps: 600, checkEvery: 30 });
    console.log(`Kubernetes, seed ${seed}:`, tally);
    expect(tally.comparisons).toBe(20);
    expect(tally.endpoints).toBeGreaterThan(50);
  });
});
