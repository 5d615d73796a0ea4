import { describe, expect, it } from "vitest";
import { isMusterError } from "../errors.ts";
import { parseJson } from "./parse-json.ts";
import { RawJson } from "./raw-json.ts";

const problem = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (isMusterError(error) && error.code === "PLANE_JSON") return error.message;
    throw error;
  }
  return "nothing was thrown";
};

describe("parseJson", () => {
  it.each([
    `null`,
    ` [true , false,null]\r\n\t`,
    `{"a":{"b":[1,-2,3.5e-7,{}]},"":[[]]}`,
    `"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é🐎\u007f\u2028"`,
    `-0`,
    `0.1000`,
    `1E+2`,
    `9007199254740991`,
    `-9007199254740991`,
    `1e400`,
  ])("reads %s as JSON.parse does", (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.is(parseJson(text), -0)).toBe(Object.is(JSON.parse(text), -0));
  });

  it.each([
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    ["18446744073709551615", 18446744073709551615n],
    ["123456789012345678901234567890", 123456789012345678901234567890n],
    ["9007199254740993.0", 9007199254740992],
  ])("keeps the digits of %s", (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  it.each([
    "",
    " ",
    "nul",
    "True",
    "+1",
    "01",
    "-",
    "1.",
    ".5",
    "1e",
    "0x1",
    "NaN",
    "[1,]",
    "[1 2]",
    "[",
    "]",
    "{",
    `{"a"}`,
    `{"a":}`,
    `{"a":1,}`,
    `{a:1}`,
    `{'a':1}`,
    `{"a":1 "b":2}`,
    `"a`,
    `"\n"`,
    `"\t"`,
    `"\u0000"`,
    `"\\x"`,
    `"\\u12g4"`,
    `"\\u12`,
    `"\\`,
    "1 2",
    "{}{}",
    "\ufeff{}",
    "\u00a01",
    "/*a*/1",
  ])("refuses %j as JSON.parse does", (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(problem(() => parseJson(text))).toMatch(/^not JSON at position \d+ \(line/);
    expect(problem(() => parseJson(`[1,${text}`))).toMatch(/^not JSON at position/);
    expect(problem(() => RawJson.parse(text))).toMatch(/^not JSON at position \d+ \(line/);
  });

  it("says where and what", () => {
    expect(problem(() => parseJson(`{\n "a": 1,\n "b": x}`))).toBe(
      `not JSON at position 17 (line 3, column 7): expected a value, found "x}"`,
    );
    expect(problem(() => parseJson(`{"a":"b`))).toContain("string without end, found the end");
  });

  it("takes hostile names as data, and the last of equal ones", () => {
    const value = parseJson(`{"__proto__":{"x":1},"constructor":2,"a":1,"a":2}`);
    expect(Object.getPrototypeOf(value)).toBe(null);
    expect(Object.entries(value as object)).toMatchObject([
      ["__proto__", { x: 1 }],
      ["constructor", 2],
      ["a", 2],
    ]);
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });

  it("has caps on length and depth", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => parseJson(nested(127))).not.toThrow();
    expect(problem(() => parseJson(nested(128)))).toContain("nested deeper than 127");
    expect(problem(() => parseJson(`{"a":`.repeat(1e6)))).toContain("nested deeper than 127");
    expect(problem(() => parseJson(nested(3), { maxDepth: 2 }))).toContain("position 2");
    expect(problem(() => parseJson("12345", { maxLength: 4 }))).toContain("longer than the 4");
  });

  it("reads absurd numbers without taking them for bigint", () => {
    expect(parseJson("9".repeat(1000))).toBe(10n ** 1000n - 1n);
    expect(parseJson("9".repeat(1_000_000))).toBe(Number.POSITIVE_INFINITY);
  });
});
