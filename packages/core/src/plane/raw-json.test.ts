import { describe, expect, it } from "vitest";
import { RawJson } from "./raw-json.ts";
import { isRawJson } from "./stringify-json.ts";

describe("RawJson", () => {
  it("keeps its text, without the spaces around it", () => {
    expect(RawJson.parse(`\n{"a" : 1.0}\t`).text).toBe(`{"a" : 1.0}`);
    expect(`${RawJson.of({ a: [1n] })}`).toBe(`{"a":[1]}`);
  });

  it("has a value that is frozen through and through, the same each time", () => {
    const raw = RawJson.parse(`{"a":[{"b":9007199254740993}]}`);
    const { a } = raw.value as { a: [{ b: bigint }] };
    expect(a[0].b).toBe(9007199254740993n);
    expect([raw, raw.value, a, a[0]].every(Object.isFrozen)).toBe(true);
    expect(raw.value).toBe(raw.value);
  });

  it.each([
    [`{"a":1,"b":[2]}`, `{ "b":[2.0], "a":1e0 }`, true],
    [`[1,2]`, `[2,1]`, false],
    [`{"a":1}`, `{"a":1,"b":1}`, false],
    [`{"a":1}`, `{"b":1}`, false],
    [`{"__proto__":1}`, `{"a":1}`, false],
    [`[]`, `{}`, false],
    [`null`, `{}`, false],
    [`18446744073709551615`, `18446744073709551614`, false],
    [`18446744073709551615`, `18446744073709551615 `, true],
    [`"1"`, `1`, false],
  ])("%s equals %s: %s", (a, b, equal) => {
    expect(RawJson.parse(a).equals(RawJson.parse(b))).toBe(equal);
    expect(RawJson.parse(b).equals(RawJson.parse(a))).toBe(equal);
  });

  it("is known by its brand", () => {
    expect(isRawJson(RawJson.of(null))).toBe(true);
    expect([{ text: "1" }, "1", null, undefined].some(isRawJson)).toBe(false);
  });

  it("leaves room for the record around it", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => RawJson.parse(nested(120))).not.toThrow();
    expect(() => RawJson.parse(nested(121))).toThrow("nested deeper than 120");
  });
});
