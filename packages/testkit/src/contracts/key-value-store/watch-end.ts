import { stopStream } from "../stream-log.ts";
import { settled, verify, verifyEqual, verifyFails } from "../verify.ts";
import { type StoreTest, verifyEntries } from "./bench.ts";

/** How watches and calls end before their time. */
export function watchEndTests(test: StoreTest): void {
  test("ends a watch that is returned, at once", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const stream = await other.watch();
    await stream.next();
    const waiting = stream.next();
    await stopStream(stream, bench.patience);
    const { done } = await settled(waiting, "a read under way", bench.patience);
    verifyEqual(done, true, "whether it says that the watch is over");
    await mine.create("a", "1");
    verifyEqual((await stream.next()).done, true, "whether a later read says so too");
    await stopStream(stream, bench.patience);
  });

  test("leaves a for-await loop by break", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    await mine.create("a", "1");
    let events = 0;
    for await (const event of await other.watch()) {
      events++;
      verifyEqual(event.type, "Resync", "the event");
      break;
    }
    verifyEqual(events, 1, "how many events the loop saw");
  });

  test("refuses to begin once its signal is aborted", async (bench) => {
    const bucket = await bench.bucket();
    await bucket.create("a", "1");
    const options = { signal: AbortSignal.abort() };
    const calls: Record<string, () => Promise<unknown>> = {
      watch: () => bucket.watch(options),
      entries: () => bucket.entries(options),
      get: () => bucket.get("a", options),
      create: () => bucket.create("b", "1", options),
      delete: () => bucket.delete("a", options),
      compareAndReplace: () =>
        bucket.compareAndReplace("a", { expected: "1", value: "2" }, options),
    };
    for (const [name, call] of Object.entries(calls))
      await verifyFails(call, `${name} with an aborted signal`, "PLANE_ABORTED");
    await verifyEntries(bucket, { a: "1" }, "entries, which none of them may change");
  });

  test("ends quietly when its signal aborts later", async (bench) => {
    const bucket = await bench.bucket();
    const controller = new AbortController();
    const [ending, other] = [
      await bench.watch(bucket, { signal: controller.signal }),
      await bench.watch(bucket),
    ];
    await ending.sees({}, "the watch before the abort");
    controller.abort(new Error("no matter what the reason is"));
    await ending.ends("an aborted watch");
    await bucket.create("a", "1");
    await other.sees({ a: "1" }, "another watch of the same client");
    verify(ending.events.length === 1, "an aborted watch must report nothing any more");
  });
}
