import { stopStream } from "../stream-log.ts";
import type { TestApi } from "../test-api.ts";
import { eventually, verifyEqual } from "../verify.ts";
import type { ObjectWatcherBench } from "./bench.ts";

/** How a watch ends. */
export function describeEnds(it: TestApi["it"], bench: ObjectWatcherBench): void {
  const { gvk, missing } = bench.harness;

  it(
    "ends when its signal aborts, and leaves nothing open",
    bench.test(async (world, watch) => {
      await world.put("a", "1");
      const [watching, waiting] = [watch(), watch(missing)];
      await watching.shows({ a: "1" }, "what is there");
      for (const { controller, log } of [watching, waiting]) {
        controller.abort();
        await log.ends("a watch that was aborted");
      }
      if (world.open !== undefined)
        await eventually(() => world.open?.(), 0, "open connections", bench.patience);
    }),
  );

  it(
    "ends when it is returned, also while something waits for the next event",
    bench.test(async (world, watch) => {
      await world.put("a", "1");
      const watching = watch();
      await watching.shows({ a: "1" }, "what is there");
      await watching.log.stop();
      if (world.open !== undefined)
        await eventually(() => world.open?.(), 0, "open connections", bench.patience);
    }),
  );

  it(
    "gives nothing when its signal had aborted before, or when it is returned unread",
    bench.test(async (world) => {
      await world.put("a", "1");
      const stream = world.watcher.watch(gvk, { signal: AbortSignal.abort() });
      const given: unknown[] = [];
      for await (const event of stream) given.push(event);
      verifyEqual(given, [], "events of a watch that was aborted before");
      const { signal } = new AbortController();
      const unread = world.watcher.watch(gvk, { signal })[Symbol.asyncIterator]();
      await stopStream(unread as AsyncIterableIterator<unknown>, bench.patience);
      verifyEqual((await unread.next()).done, true, "a watch that was returned");
    }),
  );

  it(
    "ends all its watches when it is stopped, once or twice, and gives nothing after that",
    bench.test(async (world, watch) => {
      if (world.watcher.stop === undefined) return;
      await world.put("a", "1");
      const watching = watch();
      await watching.shows({ a: "1" }, "what is there");
      await world.watcher.stop();
      await watching.log.ends("a watch of a watcher that was stopped");
      await world.watcher.stop();
      const later = watch();
      await later.log.ends("a watch after the stop");
      verifyEqual(later.log.events, [], "events after the stop");
    }),
  );
}
