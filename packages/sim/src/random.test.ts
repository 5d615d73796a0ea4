import { describe, expect, it } from "vitest";
import { createRandom, deriveSeed } from "./random.ts";

const draw = (seed: number): number[] => {
  const random = createRandom(seed);
  return Array.from({ length: 100 }, () => random.next());
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("createRandom", () => {
  it("gives the same for the same seed, else something different", () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("gives what it gave before: seeds in other people's tests keep their meaning", () => {
    expect(draw(1).slice(0, 3)).toEqual([
      0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
    ]);
  });

  it("stays within its bounds and near its means", () => {
    const random = createRandom(3);
    const values = Array.from({ length: 20_000 }, () => random.next());
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(mean(values)).toBeCloseTo(0.5, 1);
    const waits = Array.from({ length: 20_000 }, () => random.exponential(50));
    expect(mean(waits)).toBeGreaterThan(48);
    expect(mean(waits)).toBeLessThan(52);
    const whole = Array.from({ length: 1000 }, () => random.integer(2, 4));
    expect(new Set(whole)).toEqual(new Set([2, 3, 4]));
    const picks = Array.from({ length: 1000 }, () => random.pick(["a", "b"]));
    expect(new Set(picks)).toEqual(new Set(["a", "b"]));
  });

  it("derives seeds that do not repeat", () => {
    const seeds = Array.from({ length: 1000 }, (_, index) => deriveSeed(1, index));
    expect(new Set(seeds).size).toBe(1000);
  });
});
