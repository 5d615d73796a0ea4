import { verifyEqual } from "../verify.ts";
import { type StoreTest, sorted, verifyEntries } from "./bench.ts";

/** Keys around `ns1`, each its own value; those under the path `ns1` first. */
export const pathKeys: readonly string[] = [
  "ns1",
  "ns1/a",
  "ns1/a/b/c",
  "ns1/ab",
  "ns10",
  "ns10/a",
  "ns1-x/a",
  "ns1.x",
  "ns",
  "a/ns1",
];

/** Which of {@link pathKeys} are under which prefix. */
export const prefixes: readonly (readonly [prefix: string, keys: readonly string[]])[] = [
  ["", pathKeys],
  ["ns1", pathKeys.slice(0, 4)],
  ["ns1/a", ["ns1/a", "ns1/a/b/c"]],
  ["ns1/a/b", ["ns1/a/b/c"]],
  ["ns10", ["ns10", "ns10/a"]],
  ["ns2", []],
  ["n", []],
];

/** The keys, each with itself as its value. */
export function selfNamed(keys: readonly string[]): [string, string][] {
  return keys.map((key) => [key, key]);
}

/** What a bucket holds, whole and under a path. */
export function rangeTests(test: StoreTest): void {
  test("gives all entries, of all clients", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    await verifyEntries(mine, {}, "entries of a bucket nobody wrote to");
    await mine.create("a/1", "mine");
    await other.create("b/2", "theirs");
    for (const bucket of [mine, other])
      await verifyEntries(bucket, { "a/1": "mine", "b/2": "theirs" });
  });

  test("takes a prefix as a path: ns1 is not ns10", async (bench) => {
    const bucket = await bench.bucket();
    for (const key of pathKeys) await bucket.create(key, key);
    for (const [prefix, keys] of prefixes)
      verifyEqual(
        sorted(await bucket.entries({ prefix })),
        sorted(selfNamed(keys)),
        `entries under "${prefix}"`,
      );
  });

  test("gives entries that later changes do not touch", async (bench) => {
    const bucket = await bench.bucket();
    await bucket.create("a", "1");
    const before = await bucket.entries();
    await bucket.compareAndReplace("a", { expected: "1", value: "2" });
    await bucket.create("b", "1");
    verifyEqual(sorted(before), [["a", "1"]], "entries taken before the change");
  });

  test("holds a thousand keys", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const keys = Array.from({ length: 1000 }, (_, index) => `ns/component/endpoint/${index}`);
    for (let start = 0; start < keys.length; start += 50)
      await Promise.all(keys.slice(start, start + 50).map((key) => mine.create(key, key)));
    await verifyEntries(other, selfNamed(keys));
    verifyEqual((await other.entries({ prefix: "ns/component" })).size, 1000, "entries by prefix");
  });
}
