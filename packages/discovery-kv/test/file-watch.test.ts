import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { client, follow, freshRoot, patience } from "./file-fixture.ts";

it("follows writers that know nothing of temporary files", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket } = client(root);
  const reader = await follow(bucket);
  const path = join(directory, "a");
  writeFileSync(path, '{"n":1}');
  await reader.until({ a: '{"n":1}' });
  writeFileSync(path, '{"n":2}');
  await reader.until({ a: '{"n":2}' });
  unlinkSync(path);
  writeFileSync(path, '{"n":3}');
  await reader.until({ a: '{"n":3}' });
  writeFileSync(join(directory, ".new"), '{"n":4}');
  renameSync(join(directory, ".new"), path);
  await reader.until({ a: '{"n":4}' });
  renameSync(path, join(directory, "b"));
  await reader.until({ b: '{"n":4}' });
});

it("shows the rest of a record that was seen half written", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket } = client(root);
  const reader = await follow(bucket);
  writeFileSync(join(directory, "a"), '{"n":');
  await reader.until({ a: '{"n":' });
  appendFileSync(join(directory, "a"), "1}");
  await reader.until({ a: '{"n":1}' });
  writeFileSync(join(directory, "b"), "");
  await reader.until({ a: '{"n":1}', b: "" });
});

it("says nothing of touches", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket } = client(root, { ttl: "1h" });
  const reader = await follow(bucket);
  await bucket.create("a", "1");
  writeFileSync(join(directory, "b"), "2");
  await reader.until({ a: "1", b: "2" });
  for (let time = 1; time <= 20; time++)
    for (const name of ["a", "b"])
      utimesSync(join(directory, name), Date.now() / 1000 + time, Date.now() / 1000 + time);
  await bucket.create("end", "1");
  await reader.until({ a: "1", b: "2", end: "1" });
  expect(reader.events).toEqual(["Resync ", "Put a", "Put b", "Put end"]);
});

it("tells a record that was created again from one that was replaced", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket } = client(root, { ttl: "1h" });
  await bucket.create("a", '{"n":1}');
  const reader = await follow(client(root, { ttl: "1h" }).bucket);
  await reader.until({ a: '{"n":1}' });
  await bucket.compareAndReplace("a", { expected: '{"n":1}', value: '{"n":2}' });
  await reader.until({ a: '{"n":2}' });
  // within one turn of the event loop nobody sees that it was away
  unlinkSync(join(directory, "a"));
  writeFileSync(join(directory, ".tmp_0123456789abcdef"), '{"n":3}');
  renameSync(join(directory, ".tmp_0123456789abcdef"), join(directory, "a"));
  await reader.until({ a: '{"n":3}' });
  expect(reader.events).toEqual(["Resync a", "Put a", "Delete a", "Put a"]);
});

it("survives that the directory is wiped: own records are put again, others are gone", async () => {
  const { root, bucket: directory } = freshRoot();
  const [mine, other] = [client(root), client(root, { ttl: "1h" })];
  const readers = [await follow(mine.bucket), await follow(other.bucket)];
  await mine.bucket.create("mine", "1");
  writeFileSync(join(directory, "foreign"), "2");
  for (const reader of readers) await reader.until({ mine: "1", foreign: "2" });
  for (let round = 1; round <= 3; round++) {
    rmSync(root, { recursive: true, maxRetries: 5 });
    await expect
      .poll(() => mine.meter.value("muster_store_file_records_restored_total"), patience)
      .toBe(round);
    for (const reader of readers) await reader.until({ mine: "1" });
  }
  writeFileSync(join(directory, "foreign"), "3");
  for (const reader of readers) {
    await reader.until({ mine: "1", foreign: "3" });
    expect(reader.events.filter((event) => event.startsWith("Resync")).length).toBeGreaterThan(1);
  }
  expect(await mine.bucket.create("next", "4")).toBe(true);
});

it("finds its own records in its next call after the directory was wiped", async () => {
  const { root } = freshRoot();
  const { bucket } = client(root, { ttl: "1h" });
  await bucket.create("a", "1");
  rmSync(root, { recursive: true });
  expect(await bucket.get("a")).toBe("1");
  rmSync(root, { recursive: true });
  expect(await bucket.compareAndReplace("a", { expected: "1", value: "2" })).toBe(true);
  rmSync(root, { recursive: true });
  expect([...(await bucket.entries())]).toEqual([["a", "2"]]);
  rmSync(root, { recursive: true });
  expect(await bucket.create("b", "1")).toBe(true);
  rmSync(root, { recursive: true });
  expect(await bucket.delete("b")).toBe(true);
  expect([...(await bucket.entries())]).toEqual([["a", "2"]]);
});

it("follows a directory that is replaced by another", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket } = client(root);
  const reader = await follow(bucket);
  writeFileSync(join(directory, "a"), "1");
  await reader.until({ a: "1" });
  mkdirSync(`${directory}2`);
  writeFileSync(join(`${directory}2`, "b"), "2");
  renameSync(directory, `${directory}1`);
  renameSync(`${directory}2`, directory);
  await reader.until({ b: "2" });
  writeFileSync(join(directory, "c"), "3");
  writeFileSync(join(`${directory}1`, "d"), "4");
  await reader.until({ b: "2", c: "3" });
});

it("says when the directory cannot be read, and catches up when it can", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket, untilLogged } = client(root);
  const reader = await follow(bucket);
  writeFileSync(join(directory, "a"), "1");
  await reader.until({ a: "1" });
  rmSync(root, { recursive: true });
  writeFileSync(root, "a file in its place");
  await expect.poll(() => reader.interruptions, patience).toEqual(["STORE_UNAVAILABLE"]);
  await untilLogged("choose another directory");
  rmSync(root);
  await expect.poll(() => reader.interruptions, patience).toEqual(["STORE_UNAVAILABLE", undefined]);
  await reader.until({});
  writeFileSync(join(directory, "b"), "2");
  await reader.until({ b: "2" });
});

it("tells all others when the listener of one throws", async () => {
  const { root } = freshRoot();
  const { bucket, untilLogged } = client(root);
  const onInterruption = (): void => {
    throw new Error("a mistake of the reader's");
  };
  await bucket.watch({ onInterruption });
  const reader = await follow(bucket);
  rmSync(root, { recursive: true });
  writeFileSync(root, "a file in its place");
  await expect.poll(() => reader.interruptions, patience).toEqual(["STORE_UNAVAILABLE"]);
  await untilLogged("a listener of interruptions threw");
  rmSync(root);
  await reader.until({});
});

it("leaves no handle and no timer behind", async () => {
  const handles = (): string[] =>
    process
      .getActiveResourcesInfo()
      .filter((name) => name === "FSEventWrap" || name === "FSReqCallback");
  await expect.poll(handles, patience).toEqual([]);
  const { root } = freshRoot();
  const { store, bucket } = client(root);
  const stream = await bucket.watch();
  await bucket.create("a", "1");
  expect(handles()).toContain("FSEventWrap");
  await stream.return?.();
  await expect.poll(handles, patience).toEqual([]);
  await follow(bucket);
  await store.close();
  await expect.poll(handles, patience).toEqual([]);
});
