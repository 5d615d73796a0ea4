import { describe, expect, it } from "vitest";
import { runHistory } from "./history.ts";
import { createMemoryWorld } from "./memory-world.ts";
import { seeds } from "./seeds.ts";

describe("any history on the memory store ends in agreement", () => {
  it.each(seeds(1, 2, 3, 4, 5))("seed %i", async (seed) => {
    const tally = await runHistory({ world: createMemoryWorld(), seed, steps: 600 });
    console.log(`memory, seed ${seed}:`, tally);
    expect(tally.comparisons).toBeGreaterThan(40);
  });
});
