import { describe, expect, it } from "vitest";
import { createRandom } from "../random.ts";
import { type Arrival, type ArrivalOptions, arrivals } from "./arrivals.ts";

function take(count: number, changes: Partial<ArrivalOptions> = {}): Arrival[] {
  const targets = [
    { rate: 3, phase: 0 },
    { rate: 1, phase: 0.5 },
  ];
  const random = createRandom(1);
  const endless = arrivals({ targets, period: 10_000, depth: 0.8, random, ...changes });
  return Array.from({ length: count }, () => endless.next().value);
}

describe("arrivals", () => {
  it("are the same for a seed", () => {
    expect(take(100)).toEqual(take(100));
    expect(take(100)).not.toEqual(take(100, { random: createRandom(2) }));
  });

  it("come at the rate, in order, and to targets by their weight", () => {
    const all = take(20_000);
    const seconds = (all.at(-1)?.at ?? 0) / 1000;
    expect(20_000 / seconds).toBeGreaterThan(3.8);
    expect(20_000 / seconds).toBeLessThan(4.2);
    expect(all.every(({ at }, index) => at >= (all[index - 1]?.at ?? 0))).toBe(true);
    const first = all.filter(({ target }) => target === 0).length / all.length;
    expect(first).toBeGreaterThan(0.72);
    expect(first).toBeLessThan(0.78);
  });

  it("swing, each target at its own time", () => {
    const all = take(20_000);
    const inFirstHalf = (wanted: number): number => {
      const own = all.filter(({ target }) => target === wanted);
      return own.filter(({ at }) => at % 10_000 < 5000).length / own.length;
    };
    expect(inFirstHalf(0)).toBeGreaterThan(0.7);
    expect(inFirstHalf(1)).toBeLessThan(0.3);
  });

  it("are steady without depth", () => {
    const all = take(20_000, { depth: 0 });
    const half = all.filter(({ at }) => at % 10_000 < 5000).length / all.length;
    expect(half).toBeGreaterThan(0.48);
    expect(half).toBeLessThan(0.52);
  });
});
