import process from "node:process";
import { describe, expect, it } from "vitest";
import { History } from "./history.ts";
import { openFakePlaneWorld } from "./world.ts";

/** `MUSTER_FAULT_SEEDS=7,8` tries others instead. */
const seeds = process.env.MUSTER_FAULT_SEEDS?.split(",").map(Number) ?? [1, 2, 3];

describe("any history of pods, slices, workers and faults", () => {
  it.each(seeds)(
    "ends with all readers agreeing with the cluster (seed %i)",
    async (seed) => {
      await using world = await openFakePlaneWorld();
      const history = new History(world, seed);
      try {
        await history.run(150, 25);
      } catch (error) {
        throw new Error(`after ${history.log.slice(-30).join(", ")}`, { cause: error });
      }
      expect(history.log).toHaveLength(150);
    },
    120_000,
  );
});
