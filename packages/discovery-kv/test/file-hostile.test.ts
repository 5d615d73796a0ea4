import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { client, follow, freshRoot, patience } from "./file-fixture.ts";

it("ignores and counts what is no record, never waits for a pipe, and follows no link", async () => {
  const { root, bucket: directory } = freshRoot();
  mkdirSync(join(directory, "subdirectory"), { recursive: true });
  writeFileSync(join(root, "secret"), "secret");
  symlinkSync(join(root, "secret"), join(directory, "link"));
  symlinkSync("nowhere", join(directory, "dangling"));
  execFileSync("mkfifo", [join(directory, "pipe")]);
  writeFileSync(join(directory, "large"), "x".repeat(1024 * 1024 + 1));
  for (const name of [".hidden", ".tmp_0123456789abcdef", "a.b", "a%2fb", "%FF", "good"])
    writeFileSync(join(directory, name), "1");
  const { bucket, meter } = client(root);
  expect([...(await bucket.entries())]).toEqual([["good", "1"]]);
  const reader = await follow(bucket);
  await reader.until({ good: "1" });
  const ignored = (reason: string): number =>
    meter.value("muster_store_file_ignored_files_total", { reason }) ?? 0;
  expect(
    ["name", "symlink", "not-a-file", "too-large"].map((reason) => [reason, ignored(reason)]),
  ).toEqual([
    ["name", 3],
    ["symlink", 2],
    ["not-a-file", 1],
    ["too-large", 1],
  ]);
  for (const key of ["link", "pipe", "large"]) {
    expect(await bucket.get(key)).toBeUndefined();
    expect(await bucket.create(key, "mine")).toBe(false);
    expect(await bucket.compareAndReplace(key, { expected: "secret", value: "x" })).toBe(false);
  }
  expect(readFileSync(join(root, "secret"), "utf8")).toBe("secret");
});

it("takes a record for gone that turns into a link, and for there when it is back", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket } = client(root);
  const reader = await follow(bucket);
  writeFileSync(join(root, "secret"), "secret");
  await bucket.create("a", "1");
  await reader.until({ a: "1" });
  symlinkSync(join(root, "secret"), join(directory, ".new"));
  renameSync(join(directory, ".new"), join(directory, "a"));
  await reader.until({});
  writeFileSync(join(directory, ".new"), "2");
  renameSync(join(directory, ".new"), join(directory, "a"));
  await reader.until({ a: "2" });
});

it("refuses a bucket that a link leads out of the root, and removes nothing there", async () => {
  const { root } = freshRoot();
  const outside = freshRoot().root;
  mkdirSync(join(root, "v1"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "old"), "1");
  utimesSync(join(outside, "old"), 1, 1);
  symlinkSync(outside, join(root, "v1", "instances"));
  const { bucket } = client(root);
  const calls = [
    () => bucket.create("a", "1"),
    () => bucket.get("old"),
    () => bucket.delete("old"),
    () => bucket.entries(),
    () => bucket.watch(),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("out of the root"),
    });
  expect(readdirSync(outside)).toEqual(["old"]);
});

it("says what is wrong with a root that cannot be used", async () => {
  const { root } = freshRoot();
  writeFileSync(root, "a file");
  const { store, bucket } = client(root);
  const calls = [
    () => bucket.create("a", "1"),
    () => bucket.watch(),
    () => bucket.entries(),
    () => store.check(),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/root.*: .*; .*choose another directory/),
    });
});

it("says so when a key makes too long a name", async () => {
  const { bucket } = client(freshRoot().root);
  expect(await bucket.create("a".repeat(255), "1")).toBe(true);
  await expect(bucket.create("a".repeat(256), "1")).rejects.toMatchObject({
    code: "STORE_KEY",
    message: expect.stringContaining("255 bytes; use shorter names"),
  });
  expect(await bucket.get("a".repeat(256))).toBeUndefined();
  expect(await bucket.delete("-".repeat(86))).toBe(false);
});

it("leaves no temporary file behind, and clears away those of dead processes", async () => {
  const { root, bucket: directory } = freshRoot();
  const { bucket } = client(root);
  await follow(bucket);
  await bucket.create("a", "1");
  await bucket.create("a", "2");
  await bucket.compareAndReplace("a", { expected: "1", value: "2" });
  await bucket.compareAndReplace("a", { expected: "1", value: "3" });
  await bucket.delete("a");
  expect(readdirSync(directory)).toEqual([]);
  const left = [join(directory, ".tmp_0123456789abcdef"), join(root, ".tmp_fedcba9876543210")];
  for (const path of left) writeFileSync(path, "half");
  writeFileSync(join(directory, ".tmp_other"), "not ours");
  await expect.poll(() => left.some((path) => existsSync(path)), patience).toBe(false);
  expect(readdirSync(directory)).toEqual([".tmp_other"]);
});

it.runIf(existsSync("/proc/self"))(
  "gives up where no directory can be made, rather than trying for ever",
  async () => {
    const { store, bucket } = client("/proc/store");
    const refused = { code: "STORE_UNAVAILABLE", message: expect.stringContaining("ENOENT") };
    await expect(bucket.create("a", "1")).rejects.toMatchObject(refused);
    await expect(bucket.watch()).rejects.toMatchObject(refused);
    await expect(store.check()).rejects.toMatchObject(refused);
  },
);
