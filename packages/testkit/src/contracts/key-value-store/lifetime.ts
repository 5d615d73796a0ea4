import { verify, verifyEqual } from "../verify.ts";
import { bucketName, eventuallyHolds, type StoreTest, verifyEntries } from "./bench.ts";

/** Keys live as long as their client, whether it says goodbye or not. */
export function lifetimeTests(test: StoreTest, ttl: number): void {
  test("keeps keys alive beyond their lifetime, and reports none of it", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    for (const key of ["stays", "goes"]) await mine.create(key, "1");
    await other.delete("goes");
    const log = await bench.watch(other);
    await log.sees({ stays: "1" }, "the watch before");
    const events = log.events.length;
    await bench.elapse(2 * ttl);
    verifyEqual(log.events.length, events, "events after doing nothing for twice the lifetime");
    await verifyEntries(other, { stays: "1" });
    await mine.create("end", "1");
    await log.sees({ end: "1", stays: "1" }, "the watch after");
  });

  test("lets go of the keys of a client that died, and of no others", async (bench) => {
    const { world, patience } = bench;
    if (world.kill === undefined) return;
    const [dying, staying] = [await bench.client(), await bench.bucket()];
    await staying.create("mine", "1");
    for (const key of ["theirs/1", "theirs/2"]) await dying.bucket(bucketName).create(key, "1");
    const log = await bench.watch(staying);
    await log.sees({ mine: "1", "theirs/1": "1", "theirs/2": "1" }, "the watch before");
    await world.kill(dying);
    verify((await staying.get("theirs/1")) === "1", "a crash must take nothing away by itself");
    await bench.elapse(2 * ttl);
    await eventuallyHolds(staying, { mine: "1" }, { what: "entries after a death", patience });
    await log.sees({ mine: "1" }, "the watch after");
    verifyEqual(await staying.create("theirs/1", "2"), true, "creation of what was left behind");
  });
}
