import { systemClock } from "@muster/core";
import { createRuntime } from "@muster/runtime";
import { describe, expect, it } from "vitest";
import { manualDiscovery, meta, queueExtractor, readingSource } from "./support/fleet.ts";

/** What keeps the process alive: timers, sockets, watchers. */
function handles(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /^(Timeout|TCP|FSEvent)/.test(kind));
}

describe("a stopped runtime", () => {
  it("leaves no handle behind", async () => {
    const before = handles();
    const many = manualDiscovery("many", {
      first(notifier) {
        for (let index = 0; index < 100; index += 1) notifier.upsert(meta(`e${index}`));
      },
    });
    const fleet = createRuntime({
      ...{ clock: systemClock, interval: "50ms", discovery: [many] },
      sources: [{ source: readingSource(() => 1), extractors: [queueExtractor()] }],
    });
    await fleet.start();
    expect(handles()).not.toEqual(before);
    expect(fleet.endpoints.list({ state: "fresh" })).toHaveLength(100);
    const failed = manualDiscovery("many", { ready: false });
    const failing = createRuntime({
      discovery: [failed],
      sources: [{ source: readingSource(() => 1), extractors: [queueExtractor()] }],
    });
    const started = failing.start();
    failed.end(new Error("down"));
    await expect(started).rejects.toMatchObject({ code: "START_FAILED" });
    const feed = fleet.endpoints.changes()[Symbol.asyncIterator]();
    await feed.next();
    await fleet.stop();
    expect(handles()).toEqual(before);
  });
});
