import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@muster/core";
import { expect, it, onTestFinished } from "vitest";
import { client, follow, freshRoot, patience } from "./file-fixture.ts";
import { createMortalClock } from "./file-world.ts";

/** Runs something every 100 ms until the test ends. */
function often(work: () => void): void {
  const timer = setInterval(work, 100);
  onTestFinished(() => clearInterval(timer));
}

const hour = 3_600_000;

it("hides what dead processes left from whoever comes later, and removes it", async () => {
  const { root, bucket: directory } = freshRoot();
  mkdirSync(directory, { recursive: true });
  for (const name of ["dead", "alive"]) {
    writeFileSync(join(directory, name), name);
    utimesSync(join(directory, name), 1000, 1000);
  }
  const { bucket, untilLogged, meter } = client(root);
  expect([...(await bucket.entries())]).toEqual([]);
  expect(await bucket.get("dead")).toBeUndefined();
  await untilLogged("nobody keeps alive");
  // a writer whose clock is far behind
  let time = 1000;
  often(() => utimesSync(join(directory, "alive"), ++time, time));
  const reader = await follow(bucket);
  await reader.until({ alive: "alive" });
  await expect.poll(() => readdirSync(directory), patience).toEqual(["alive"]);
  expect(reader.events).toEqual(["Resync ", "Put alive"]);
  expect([...(await bucket.entries())]).toEqual([["alive", "alive"]]);
  expect(meter.value("muster_store_file_records_expired_total") ?? 0).toBe(0);
});

it("takes over a key that a dead process left", async () => {
  const { root, bucket: directory } = freshRoot();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "a"), "old");
  utimesSync(join(directory, "a"), 1000, 1000);
  const { bucket } = client(root, { ttl: "1h" });
  const change = { expected: "old", value: "new" };
  expect(await bucket.compareAndReplace("a", change)).toBe(false);
  expect(await bucket.create("a", "new")).toBe(true);
  expect(await bucket.create("a", "newer")).toBe(false);
  expect(await bucket.get("a")).toBe("new");
});

it("removes a record with a time in the future once nobody touches it", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket, untilLogged, meter } = client(root);
  const reader = await follow(bucket);
  for (const name of ["dead", "alive"]) writeFileSync(join(directory, name), name);
  let time = (Date.now() + hour) / 1000;
  utimesSync(join(directory, "dead"), time, time);
  // a clock that runs ahead, and another that goes back
  often(() => utimesSync(join(directory, "alive"), ++time, time));
  await reader.until({ dead: "dead", alive: "alive" });
  await reader.until({ alive: "alive" });
  expect(existsSync(join(directory, "dead"))).toBe(false);
  await untilLogged("does not keep it alive");
  expect(meter.value("muster_store_file_records_expired_total")).toBe(1);
});

it.each([hour, -hour])("removes no live record when a clock jumps by %d ms", async (jump) => {
  const { root } = freshRoot();
  let offset = 0;
  const clock = { ...systemClock, now: () => Date.now() + offset };
  const [mine, other] = [client(root, {}, { clock }), client(root)];
  await mine.bucket.create("mine", "1");
  await other.bucket.create("theirs", "2");
  const dying = createMortalClock();
  await client(root, {}, { clock: dying }).bucket.create("dying", "3");
  const readers = [await follow(mine.bucket), await follow(other.bucket)];
  offset = jump;
  expect((await mine.bucket.entries()).size).toBe(3);
  dying.stop();
  for (const reader of readers) {
    await reader.until({ mine: "1", theirs: "2" });
    expect(reader.events).toEqual(["Resync dying,mine,theirs", "Delete dying"]);
  }
  // what a process sees that comes then
  await (await follow(client(root, {}, { clock }).bucket)).until({ mine: "1", theirs: "2" });
});

it("touches by the time of the file system", async () => {
  const { root, bucket: directory } = freshRoot();
  const clock = { ...systemClock, now: () => 0 };
  const { bucket } = client(root, {}, { clock });
  await bucket.create("a", "1");
  const before = statSync(join(directory, "a")).mtimeMs;
  await expect.poll(() => statSync(join(directory, "a")).mtimeMs, patience).toBeGreaterThan(before);
  expect(readdirSync(root)).toEqual(["v1"]);
});

it("respects that somebody unregisters a record", async () => {
  const { root } = freshRoot();
  const [mine, other] = [client(root), client(root)];
  await mine.bucket.create("a", "1");
  const reader = await follow(other.bucket);
  expect(await other.bucket.delete("a")).toBe(true);
  await mine.untilLogged("removed by somebody else");
  expect(mine.meter.value("muster_store_file_records_withdrawn_total")).toBe(1);
  await reader.until({});
  expect(await mine.bucket.create("a", "2")).toBe(true);
  await reader.until({ a: "2" });
});

it("puts a record again that vanished while it could not be kept alive", async () => {
  const { root } = freshRoot();
  // stands still: the process is stopped, and goes on an hour later
  const timers = new Set<() => void>();
  let time = 0;
  const clock = {
    now: () => Date.now(),
    monotonic: () => time,
    schedule(callback: () => void) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  const mine = client(root, {}, { clock });
  await mine.bucket.create("a", "1");
  const reader = await follow(client(root).bucket);
  await reader.until({ a: "1" });
  await reader.until({});
  time += hour;
  for (const callback of [...timers]) {
    timers.delete(callback);
    callback();
  }
  await reader.until({ a: "1" });
  await mine.untilLogged("they were put again");
  expect(mine.meter.value("muster_store_file_records_restored_total")).toBe(1);
  await mine.store.close();
  await reader.until({});
});

it("keeps alive what a former process with the same id left", async () => {
  const { root } = freshRoot();
  const connectionId = 0xabcn;
  const clock = createMortalClock();
  const former = client(root, { connectionId }, { clock });
  await former.bucket.create("ns/c/e/abc", "1");
  await former.bucket.create("ns/c/e/abd", "1");
  clock.stop();
  const { bucket, store } = client(root, { connectionId });
  for (const key of ["ns/c/e/abc", "ns/c/e/abd"]) expect(await bucket.create(key, "2")).toBe(false);
  const reader = await follow(client(root).bucket);
  await reader.until({ "ns/c/e/abc": "1" });
  await store.close();
  await reader.until({});
});
