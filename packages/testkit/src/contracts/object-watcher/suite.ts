import type { TestApi } from "../test-api.ts";
import { ObjectWatcherBench, type ObjectWatcherHarness } from "./bench.ts";
import { describeEnds } from "./ends.ts";
import { describeEvents } from "./events.ts";
import { describeMissing } from "./missing.ts";

/** The contract of an object watcher. */
export function describeObjectWatcher(
  { describe, it }: TestApi,
  harness: ObjectWatcherHarness,
): void {
  const bench = new ObjectWatcherBench(harness);
  describe("object watcher", () => {
    describeEvents(it, bench);
    describeMissing(it, bench);
    describeEnds(it, bench);
  });
}
