import { describe, expect, it } from "vitest";
import { checkBucketName, checkKey, checkValue, underPrefix } from "./store-key.ts";

const code = (code: string): unknown => expect.objectContaining({ code });

describe("checkKey", () => {
  it.each([
    "dynamo/backend/generate/694d8a1b2c3d4e5f",
    "ns/c/e/1/my adapter",
    "namespace/a%2Fb/topic/%C3%A9/2a",
    "../..",
    "__proto__/é",
    "x".repeat(1024),
  ])("takes %s", (key) => {
    expect(() => checkKey(key)).not.toThrow();
  });

  it.each([
    ["", "empty part"],
    ["/a", "empty part"],
    ["a/", "empty part"],
    ["a//b", "empty part"],
    ["a\0b", "NUL"],
    ["a\ud800", "surrogate"],
    ["x".repeat(1025), "1024 bytes"],
    ["é".repeat(513), "1024 bytes"],
  ])("refuses %j", (key, reason) => {
    expect(() => checkKey(key)).toThrow(code("STORE_KEY"));
    expect(() => checkKey(key)).toThrow(reason);
  });
});

describe("checkValue", () => {
  it("takes up to 1 MiB of UTF-8", () => {
    expect(() => checkValue("k", "x".repeat(2 ** 20))).not.toThrow();
    expect(() => checkValue("k", "é".repeat(2 ** 19))).not.toThrow();
    expect(() => checkValue("k", "x".repeat(2 ** 20 + 1))).toThrow(code("STORE_TOO_LARGE"));
    expect(() => checkValue("k", `${"é".repeat(2 ** 19)}x`)).toThrow(code("STORE_TOO_LARGE"));
  });

  it("refuses what UTF-8 cannot hold, and takes pairs", () => {
    expect(() => checkValue("k", "\ud83d")).toThrow(code("STORE_KEY"));
    expect(() => checkValue("k", "😀")).not.toThrow();
  });
});

describe("checkBucketName", () => {
  it.each(["v1/instances", "v1/mdc", "a.b-c_d"])("takes %s", (name) => {
    expect(() => checkBucketName(name)).not.toThrow();
  });

  it.each(["", "/v1", "v1/", "a//b", "..", "a/../b", ".tmp", "a b", "é", "x".repeat(201)])(
    "refuses %j",
    (name) => {
      expect(() => checkBucketName(name)).toThrow(code("STORE_KEY"));
    },
  );
});

describe("underPrefix", () => {
  it.each([
    ["ns1", "ns1/c/e/1", true],
    ["ns1", "ns10/c/e/1", false],
    ["ns1", "ns1", true],
    ["ns1/", "ns1/c", true],
    ["ns1/c", "ns1/cc/e/1", false],
    ["ns1/c/e", "ns1/c/e/1/suffix", true],
    ["ns1/c/e/1", "ns1/c/e", false],
    ["", "anything", true],
    [undefined, "anything", true],
  ])("of %j takes %j: %s", (prefix, key, expected) => {
    expect(underPrefix(prefix)(key)).toBe(expected);
  });
});
