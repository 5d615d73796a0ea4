import type { Bucket } from "@muster/core/plane";
import { codeOf, verify, verifyEqual, verifyFails } from "../verify.ts";
import { type StoreTest, verifyEntries } from "./bench.ts";

/** Keys that are paths out of a directory, escapes of another key, or syntax of somebody's protocol. */
const hostileKeys: readonly string[] = [
  ...[
    "..",
    ".",
    "../a",
    "../../../../tmp/muster",
    "a/../b",
    "a/./b",
    "/a",
    "a/",
    "a//b",
    "/",
    "//",
  ],
  ...["a/b", "a%2Fb", "a%2fb", "%2F", "%", "%%", "%zz", "%00", "a%252Fb", "C:\\a", "a\\b"],
  ...["__proto__", "constructor", "toString", "a/__proto__", "hasOwnProperty/b"],
  ...[" ", "a b", " a", "a ", "\t", "a\nb", "a\r\nb", "\0", "a\0b", "\u007f", "\u0085", "\ufeff"],
  ...["A", "a", "ä", "a\u0308", "日本語", "🚀", "\u202eabc", "İ", "ß", "SS"],
  ...["'", '"', "`", "$a", "$(a)", "a;b", "a&b", "<a>", "a|b", "?a=b", "#a", "a+b", "~", "!"],
  ...["*", ">", "a.>", "a.*", ".", "a.b", "=", "a=b=", "a:b", ",", "{}", "[a]", "(a)", "^a$"],
  ...[".tmp_0123456789abcdef", ".lock", "con", "nul", "a".repeat(300), "ä/".repeat(300)],
  ...["\ud800", "a\udfffb", "x".repeat(100_000)],
];

const values: readonly string[] = [
  ...["", " ", "\n", "a\r\nb\r", "\0", "\u0001\u007f\u0085\u2028", "\ufeffbom", '"\\/`$%'],
  ...["日本語 🚀 a\u0308", "__proto__", "null", '{"instance_id":18446744073709551615}'],
  "large, ä🚀 ".repeat(10_000),
];

/** Text from outside: kept as it is or refused with a code, never something else. */
export function hostileTests(test: StoreTest): void {
  test("keeps or refuses hostile keys, and mixes none up", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const log = await bench.watch(other);
    const kept = new Map<string, string>();
    for (const [index, key] of new Set(hostileKeys).entries())
      if (await keeps(mine, key, `value of ${index}`)) kept.set(key, `value of ${index}`);
    for (const [key, value] of kept)
      verifyEqual(await other.get(key), value, `the value of ${JSON.stringify(key)}`);
    await verifyEntries(other, [...kept]);
    await log.sees([...kept], "a watch of all");
    for (const key of kept.keys())
      verifyEqual(await other.delete(key), true, `the deletion of ${JSON.stringify(key)}`);
    await log.sees({}, "a watch of all after their deletion");
    await verifyEntries(mine, {});
  });

  test("refuses an empty key", async (bench) => {
    const bucket = await bench.bucket();
    await verifyFails(() => bucket.create("", "1"), "create without a key", "STORE_KEY");
    await verifyEntries(bucket, {});
  });

  test("keeps or refuses hostile bucket names, and mixes none up", async (bench) => {
    const store = await bench.client();
    const kept: Bucket[] = [];
    for (const name of ["", "..", "../v1", "v1/../v2", "/", "__proto__", "a b", "%2F", "v1", "\0"])
      try {
        const bucket = store.bucket(name);
        await bucket.create("key", name);
        kept.push(bucket);
      } catch (error) {
        verifyEqual(codeOf(error), "STORE_KEY", `the refusal of bucket ${JSON.stringify(name)}`);
      }
    for (const bucket of kept) await verifyEntries(bucket, { key: bucket.name });
  });

  test("gives back values to the character", async (bench) => {
    const [mine, other] = [await bench.bucket(), await bench.bucket()];
    const log = await bench.watch(other);
    const expected = values.map((value, index): [string, string] => [`key-${index}`, value]);
    for (const [key, value] of expected) {
      await mine.create(key, value);
      verify((await other.get(key)) === value, `${key} must be read back as it was written`);
    }
    await verifyEntries(other, expected);
    await log.sees(expected, "a watch of all");
  });

  test("refuses a value that is far too large, and stays usable", async (bench) => {
    const bucket = await bench.bucket();
    const huge = "x".repeat(16 * 1024 * 1024);
    await verifyFails(() => bucket.create("a", huge), "create of 16 MiB", "STORE_TOO_LARGE");
    verifyEqual(await bucket.create("a", "1"), true, "a creation after it");
    const change = { expected: "1", value: huge };
    await verifyFails(
      () => bucket.compareAndReplace("a", change),
      "compareAndReplace by 16 MiB",
      "STORE_TOO_LARGE",
    );
    await verifyEntries(bucket, { a: "1" });
  });
}

/** Creates a key; false when it is refused as it should be. */
async function keeps(bucket: Bucket, key: string, value: string): Promise<boolean> {
  try {
    verifyEqual(await bucket.create(key, value), true, `creation of ${JSON.stringify(key)}`);
    return true;
  } catch (error) {
    verifyEqual(codeOf(error), "STORE_KEY", `the refusal of key ${JSON.stringify(key)}`);
    return false;
  }
}
