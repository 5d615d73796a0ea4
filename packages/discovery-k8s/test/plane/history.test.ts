import { describe, expect, it } from "vitest";
import { seeds } from "../random.ts";
import { History } from "./history.ts";
import { openFakePlaneWorld } from "./world.ts";

describe("any history of pods, slices, workers and faults", () => {
  it.each(seeds(1, 2, 3))(
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
