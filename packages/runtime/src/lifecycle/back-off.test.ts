import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backOff } from "./back-off.ts";

describe("back-off", () => {
  it("doubles up to the cap, less up to half at random", () => {
    const waits = [0, 1, 2, 3, 9].map((attempt) =>
      backOff(attempt, { initial: 500, cap: 3000, random: () => 0 }),
    );
    expect(waits).toEqual([500, 1000, 2000, 3000, 3000]);
    expect(backOff(0, { initial: 500, cap: 3000, random: () => 0.999 })).toBeCloseTo(250, 0);
  });

  it("is never above the cap nor below half of what it could be, however many attempts", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 1000 }), (attempt, initial) => {
        const wait = backOff(attempt, { initial, cap: 30_000 });
        expect(wait).toBeGreaterThanOrEqual(initial / 2);
        expect(wait).toBeLessThanOrEqual(30_000);
      }),
    );
  });
});
