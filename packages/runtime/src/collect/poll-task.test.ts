import type { Clock } from "@muster/core";
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
});
