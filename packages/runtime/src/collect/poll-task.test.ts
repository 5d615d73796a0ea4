import { type Clock, type DispatchResult, MusterError } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { readingSource } from "../../test/support/fleet.ts";

describe("the polls of one endpoint", () => {
  it("are not doubled by timers that are early, as Node's are by up to a millisecond", async () => {
    const clock = createFakeClock();
    const hasty: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      schedule: (callback, delay) => clock.schedule(callback, Math.max(0, delay - 0.9)),
    };
    let polls = 0;
    const source = readingSource(() => ++polls);
    const { put } = collect({
      clock: hasty,
      sources: [source],
      interval: 50,
    });
    put("a");
    await clock.advance(5000);
    expect(polls).toBeGreaterThanOrEqual(100);
    expect(polls).toBeLessThanOrEqual(101);
  });

  it("make up for one turn that came while a poll was in flight, not for more", async () => {
    const clock = createFakeClock();
    const at: number[] = [];
    const source = readingSource(async () => {
      at.push(clock.monotonic());
      if (at.length === 1) await new Promise<void>((resolve) => void clock.schedule(resolve, 370));
      return 1;
    });
    const { put } = collect({ clock, sources: [source], interval: 100 });
    put("a");
    await clock.advance(620);
    expect(at).toEqual([0, 370, 400, 500, 600]);
  });

  it("go on back to back where each takes longer than the interval", async () => {
    const clock = createFakeClock();
    let polls = 0;
    const source = readingSource(async () => {
      polls += 1;
      await new Promise<void>((resolve) => void clock.schedule(resolve, 100));
      throw new MusterError("SCRAPE_TIMEOUT", "no answer after 100 ms");
    });
    const { put } = collect({ clock, sources: [source], interval: 100 });
    put("a");
    await clock.advance(1010);
    expect(polls).toBe(11);
  });

  it.each([
    undefined,
    {},
    { extracted: [], failed: "x" },
    { extracted: [], failed: [null] },
    { extracted: [], failed: [{ extractor: "x", code: "EXTRACT_FAILED" }] },
    { extracted: [], failed: [{ extractor: { type: "a", name: "b" }, code: {} }] },
  ])("fail where the source gives %j, and go on", async (result) => {
    const clock = createFakeClock();
    const source = Object.assign(
      readingSource(() => 1),
      { dispatch: () => Promise.resolve(result as unknown as DispatchResult) },
    );
    const { put, view } = collect({ clock, sources: [source], interval: 100 });
    put("a");
    await clock.advance(250);
    expect(view("a").freshness).toMatchObject({ errorCode: "PLUGIN_INVALID", failures: 3 });
  });
});
