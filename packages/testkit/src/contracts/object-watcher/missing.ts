import type { TestApi } from "../test-api.ts";
import { using } from "../test-api.ts";
import { verify, verifyEqual } from "../verify.ts";
import type { ObjectWatcherBench } from "./bench.ts";

/** A kind that does not exist, or not yet. */
export function describeMissing(it: TestApi["it"], bench: ObjectWatcherBench): void {
  it(
    "waits for a kind that does not exist, and says so",
    bench.test(async (world, watch) => {
      const waiting = watch(bench.harness.missing);
      await waiting.log.shows(() => waiting.conditions.length > 0, true, "why it waits");
      verify(waiting.conditions[0] !== "", "the reason must be an error with a code");
      verifyEqual(waiting.log.events, [], "events");
      await world.put("a", "1");
      const watching = watch();
      await watching.shows({ a: "1" }, "a watch of another kind meanwhile");
      verifyEqual(watching.conditions, [], "what the other watch said of its kind");
    }),
  );

  it(
    "follows a kind that appears later, and says so",
    bench.test(async (world, watch) => {
      if (world.install === undefined) return;
      const waiting = watch(bench.harness.missing);
      await waiting.log.shows(() => waiting.conditions.length > 0, true, "why it waits");
      await world.install("late");
      const names = (): unknown => waiting.log.events.map(({ object }) => object.metadata?.name);
      await waiting.log.shows(names, ["late"], "the object of the kind that appeared");
      await waiting.log.shows(() => waiting.conditions.at(-1), "", "that it follows the kind");
    }),
  );

  it("works for somebody who does not ask why it waits", () =>
    using(bench.harness.make, async (world) => {
      const { signal } = new AbortController();
      await world.put("a", "1");
      for await (const { object } of world.watcher.watch(bench.harness.gvk, { signal }))
        if (object.metadata?.name === "a") break;
      await world.watcher.stop?.();
    }));
}
