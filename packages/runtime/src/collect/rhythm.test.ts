import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Rhythm } from "./rhythm.ts";

function firstTimes(interval: number, count: number, runs: number): number[][] {
  return Array.from({ length: count }, (_, index) => {
    const rhythm = new Rhythm(interval, { now: 0, index, count });
    const times = [rhythm.first];
    while (times.length < runs) times.push(rhythm.after(times.at(-1) ?? 0));
    return times;
  });
}

describe("the rhythm of an endpoint", () => {
  it("spreads endpoints evenly over the interval", () => {
    const interval = 1000;
    const fourth = firstTimes(interval, 500, 4).map((times) => (times[3] ?? 0) % interval);
    const slots = new Array<number>(20).fill(0);
    for (const at of fourth) {
      const slot = Math.floor(at / 50);
      slots[slot] = (slots[slot] ?? 0) + 1;
    }
    for (const size of slots) expect(size).toBeGreaterThanOrEqual(20);
    for (const size of slots) expect(size).toBeLessThanOrEqual(30);
  });

  it("polls for the first time within a second, and a small fleet at once", () => {
    for (const [first = 0] of firstTimes(60_000, 5000, 1)) expect(first).toBeLessThanOrEqual(1000);
    for (const [first = 0] of firstTimes(60_000, 10, 1)) expect(first).toBeLessThanOrEqual(5);
  });

  it("keeps its place: the interval between polls, half to one and a half before the second", () => {
    const interval = fc.integer({ min: 10, max: 2000 }).map((ticks) => ticks * 5);
    fc.assert(
      fc.property(interval, fc.nat(5000), fc.nat(), (every, index, now) => {
        const rhythm = new Rhythm(every, { now, index, count: index + 1 });
        const second = rhythm.after(rhythm.first);
        expect(second - rhythm.first).toBeGreaterThanOrEqual(every / 2);
        expect(second - rhythm.first).toBeLessThanOrEqual(every * 1.5 + 5);
        let last = second;
        for (let run = 0; run < 5; run += 1) {
          const next = rhythm.after(last);
          expect(next).toBeGreaterThan(last);
          expect(Math.abs(next - last - every)).toBeLessThanOrEqual(5);
          last = next;
        }
      }),
    );
  });

  it("skips what was missed instead of catching up", () => {
    const rhythm = new Rhythm(100, { now: 0, index: 0, count: 1 });
    expect(rhythm.after(0)).toBe(100);
    expect(rhythm.after(1234)).toBe(1300);
  });

  it("keeps its place also after a pause", () => {
    const rhythm = new Rhythm(100, { now: 0, index: 0, count: 1 });
    rhythm.pause(777);
    expect([rhythm.isPaused(776), rhythm.isPaused(777)]).toEqual([true, false]);
    expect(rhythm.after(100)).toBe(800);
    expect(rhythm.after(800)).toBe(900);
  });
});
