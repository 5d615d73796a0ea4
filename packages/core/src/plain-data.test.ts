import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPlain, freezePlain } from "./plain-data.ts";

const plain = fc.anything({
  withNullPrototype: true,
  maxDepth: 5,
  key: fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "clone")),
});

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}

describe("freezePlain", () => {
  it("gives an equal copy, frozen through and through, and leaves the original alone", () => {
    fc.assert(
      fc.property(plain, (value) => {
        const before = formatPlain(value);
        const copy = freezePlain(value);
        expect(isFrozenThrough(copy)).toBe(true);
        expect(formatPlain(copy)).toBe(before);
        if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });

  it("gives back data that it froze before, alone or inside other data", () => {
    const part = freezePlain({ a: [1] });
    expect(freezePlain(part)).toBe(part);
    expect(freezePlain({ part }).part).toBe(part);
  });

  it("copies data that somebody else froze: a getter or prototype may hide behind it", () => {
    const foreign = Object.freeze({ a: 1 });
    const copy = freezePlain(foreign);
    expect(copy).not.toBe(foreign);
    expect(Object.getPrototypeOf(copy)).toBeNull();
  });

  it("keeps __proto__ as a key", () => {
    const copy = freezePlain(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect("polluted" in {}).toBe(false);
  });

  it.each<[string, unknown]>([
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a Date", new Date(0)],
    ["a Map", new Map()],
    ["bytes", new Uint8Array(1)],
    ["an instance", new (class Thing {})()],
    ["something deep inside", { a: [{ b: new Set() }] }],
  ])("refuses %s", (_what, value) => {
    expect(() => freezePlain(value)).toThrow(
      expect.objectContaining({ code: "ATTRIBUTE_INVALID" }),
    );
  });

  it("refuses what nests without end or multiplies without bound", () => {
    const cycle: { self?: unknown; again?: unknown } = {};
    cycle.self = cycle;
    expect(() => freezePlain(cycle)).toThrow("deeper than 32");
    cycle.again = cycle;
    let shared: unknown = 0;
    for (let level = 0; level < 31; level++) shared = [shared, shared];
    for (const value of [cycle, shared])
      expect(() => freezePlain(value)).toThrow(
        expect.objectContaining({ code: "ATTRIBUTE_INVALID" }),
      );
    expect(() => freezePlain(new Array(200_000).fill(1))).toThrow("more than 100000 values");
  });
});

describe("formatPlain", () => {
  it("prints anything on one line of at most 200 characters", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        expect(formatPlain(value).length).toBeLessThanOrEqual(200);
        expect(formatPlain(value)).not.toContain("\n");
      }),
    );
    expect(formatPlain({ n: 2n ** 64n })).toBe('{"n":"18446744073709551616"}');
    expect(formatPlain({ n: Number.NaN })).toBe('{"n":"NaN"}');
    expect(formatPlain(undefined)).toBe("undefined");
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(formatPlain(cycle)).toBe("a value that cannot be printed");
  });
});
