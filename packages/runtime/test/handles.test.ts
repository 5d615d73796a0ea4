import { type Clock, systemClock } from "@muster/core";
import { createRuntime } from "@muster/runtime";
import { describe, expect, it } from "vitest";
import { manualDiscovery, meta, queueExtractor, readingSource } from "./support/fleet.ts";

/** Sockets and watchers that keep the process alive. */
function handles(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|FSEvent)/.test(kind));
}

/** The real clock, counting its timers: those of the process include the test runner's own. */
function countingClock(): Clock & { readonly pending: ReadonlySet<object> } {
  const pending = new Set<object>();
  return {
    ...systemClock,
    pending,
    schedule(callback, delay) {
      const timer = {};
      pending.add(timer);
      const cancel = systemClock.schedule(() => {
        pending.delete(timer);
        callback();
      }, delay);
      return () => {
        pending.delete(timer);
        cancel();
      };
    },
  };
}

describe("a stopped runtime", () => {
  it("leaves no handle behind", async () => {
    const before = handles();
    const clock = countingClock();
    const many = manualDiscovery("many", {
      first(notifier) {
        for (let index = 0; index < 100; index += 1) notifier.upsert(meta(`e${index}`));
      },
    });
    const fleet = createRuntime({
      ...{ clock, interval: "50ms", discovery: [many] },
      sources: [{ source: readingSource(() => 1), extractors: [queueExtractor()] }],
    });
    await fleet.start();
    expect(clock.pending.size).toBeGreaterThan(0);
    expect(fleet.endpoints.list({ state: "fresh" })).toHaveLength(100);
    const failed = manualDiscovery("many", { ready: false });
    const failing = createRuntime({
      clock,
      discovery: [failed],
      sources: [{ source: readingSource(() => 1), extractors: [queueExtractor()] }],
    });
    const started = failing.start();
    failed.end(new Error("down"));
    await expect(started).rejects.toMatchObject({ code: "START_FAILED" });
    const feed = fleet.endpoints.changes()[Symbol.asyncIterator]();
    await feed.next();
    await fleet.stop();
    expect(clock.pending.size).toBe(0);
    expect(handles()).toEqual(before);
  });
});
