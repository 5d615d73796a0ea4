import { describe, expect, it } from "vitest";
import { isMusterError } from "../errors.ts";
import { RawJson } from "./raw-json.ts";
import { stringifyJson } from "./stringify-json.ts";

const problem = (value: unknown): string => {
  try {
    return stringifyJson(value);
  } catch (error) {
    return isMusterError(error) ? `${error.code}: ${error.message}` : String(error);
  }
};

describe("stringifyJson", () => {
  it.each([
    null,
    true,
    'a"b\\c\n\u2028é\ud800',
    1.5e300,
    [1, undefined, () => 1, Symbol("s"), [null]],
    { a: undefined, b: () => 1, c: { d: [{}] }, "": "" },
    new Date(0),
    { at: new Date(0) },
    [Object(1), Object("s"), Object(true)],
    { toJSON: (key: string) => `k${key}` },
    { a: { toJSON: (key: string) => [key] } },
    new URL("http://h/p"),
  ])("writes %j as JSON.stringify does", (value) => {
    expect(stringifyJson(value)).toBe(JSON.stringify(value));
  });

  it("writes bigint as a bare number, RawJson as its text, and -0", () => {
    const raw = RawJson.parse(` {"n": 1.0, "m":1e400} `);
    expect(stringifyJson({ id: 2n ** 64n - 1n, raw, zero: -0, boxed: [Object(-1n)] })).toBe(
      `{"id":18446744073709551615,"raw":{"n": 1.0, "m":1e400},"zero":-0,"boxed":[-1]}`,
    );
  });

  it("writes an own member named __proto__", () => {
    expect(stringifyJson(JSON.parse(`{"__proto__":{"a":1}}`))).toBe(`{"__proto__":{"a":1}}`);
  });

  it.each([undefined, () => 1, Symbol("s"), Number.NaN, [Number.POSITIVE_INFINITY]])(
    "refuses %s",
    (value) => {
      expect(problem(value)).toMatch(/^PLANE_JSON: cannot write .* as JSON$/);
    },
  );

  it("refuses cycles, deep nesting and text without end", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = [cycle];
    expect(problem(cycle)).toMatch(/^PLANE_JSON: cannot write a cycle/);
    let shared: unknown = "x".repeat(1000);
    for (let level = 0; level < 60; level++) shared = [shared, shared];
    expect(problem(shared)).toMatch(/^PLANE_JSON: cannot write more than \d+ characters/);
  });

  it("says what a getter or toJSON threw", () => {
    const value = {
      toJSON() {
        throw new Error("not today");
      },
    };
    expect(problem({ value })).toBe("PLANE_JSON: cannot write JSON: not today");
  });
});
