import { MusterError } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { readingSource } from "../../test/support/fleet.ts";

const refused = (): never => {
  throw new MusterError("SCRAPE_CONNECT", "connection refused");
};

describe("back-off", () => {
  it("asks a server that refuses connections less and less, up to ten intervals, jittered", async () => {
    const clock = createFakeClock();
    const at: number[] = [];
    let up = false;
    const source = readingSource(() => {
      at.push(clock.monotonic());
      return up ? 1 : refused();
    });
    const { put, view } = collect({ clock, sources: [source], interval: 1000 });
    put("a");
    await clock.advance(120_000);
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(gaps.slice(1, 4)).toEqual([1000, 1000, 1000]);
    expect(view("a").freshness).toMatchObject({
      state: "unreachable",
      errorCode: "SCRAPE_CONNECT",
    });
    const late = gaps.slice(8);
    expect(Math.max(...late)).toBeLessThanOrEqual(11_000);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(5000);
    expect(new Set(late).size).toBeGreaterThan(1);
    up = true;
    await clock.advance(11_000);
    expect(view("a").freshness.state).toBe("fresh");
    const seen = at.length;
    await clock.advance(10_000);
    expect(at.length - seen).toBe(10);
  });

  it("is for refused connections only: others are asked at the full rate", async () => {
    const clock = createFakeClock();
    let polls = 0;
    const source = readingSource(() => {
      polls += 1;
      throw new MusterError("SCRAPE_STATUS", "status 500");
    });
    const { put } = collect({ clock, sources: [source], interval: 100 });
    put("a");
    await clock.advance(10_000);
    expect(polls).toBeGreaterThanOrEqual(100);
  });

  it("never waits less than the interval nor, with a long one, more", async () => {
    const clock = createFakeClock();
    const at: number[] = [];
    const source = readingSource(() => {
      at.push(clock.monotonic());
      return refused();
    });
    const { put } = collect({ clock, sources: [source], interval: 60_000 });
    put("a");
    await clock.advance(30 * 60_000);
    const gaps = at.slice(2).map((time, index) => time - (at[index + 1] ?? 0));
    expect(new Set(gaps)).toEqual(new Set([60_000]));
  });
});
