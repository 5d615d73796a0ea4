import { isDeepStrictEqual } from "node:util";
import { attributeKey, dynamicAttribute } from "@muster/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalPlain } from "./equal-plain.ts";
import { ReadOnlyAttributes, TrackedAttributes } from "./tracked-attributes.ts";

const key = attributeKey<unknown>("k");

describe("attributes that know whether they changed", () => {
  it("equal plain data is no change, and is not stored again", () => {
    const attributes = new TrackedAttributes({});
    attributes.put(key, { list: ["a"], n: 1 });
    expect(attributes.takeChanged()).toBe(true);
    const stored = attributes.get(key);
    attributes.put(key, { n: 1, list: ["a"] });
    expect(attributes.takeChanged()).toBe(false);
    expect(attributes.get(key)).toBe(stored);
    attributes.put(key, { list: ["b"], n: 1 });
    expect(attributes.takeChanged()).toBe(true);
    attributes.put(key, undefined);
    expect(attributes.takeChanged()).toBe(false);
  });

  it("a stored copy does not follow the object it came from", () => {
    const attributes = new TrackedAttributes({});
    const value = { list: ["a"] };
    attributes.put(key, value);
    value.list.push("b");
    expect(attributes.get(key)).toEqual({ list: ["a"] });
    attributes.put(key, value);
    expect(attributes.get(key)).toEqual({ list: ["a", "b"] });
  });

  it("null is a value, unlike nothing", () => {
    const attributes = new TrackedAttributes({});
    attributes.put(key, null);
    expect(attributes.takeChanged()).toBe(true);
    expect(attributes.get(key)).toBeNull();
  });

  it("putting a dynamic attribute is a change, and never calls its getter", () => {
    const attributes = new TrackedAttributes({});
    let calls = 0;
    const counted = dynamicAttribute(() => {
      calls += 1;
      return calls;
    });
    attributes.put(key, counted);
    attributes.takeChanged();
    attributes.put(key, counted);
    expect(attributes.takeChanged()).toBe(true);
    attributes.put(key, 1);
    expect(calls).toBe(0);
    expect(attributes.get(key)).toBe(1);
  });

  it("deleting what is there is a change, deleting nothing is none", () => {
    const attributes = new TrackedAttributes({});
    attributes.put(key, 1);
    attributes.takeChanged();
    expect(attributes.delete("other")).toBe(false);
    expect(attributes.takeChanged()).toBe(false);
    expect(attributes.delete(key)).toBe(true);
    expect(attributes.takeChanged()).toBe(true);
  });

  it("what readers get cannot be written to", () => {
    const attributes = new TrackedAttributes({});
    attributes.put(key, 1);
    const reader = new ReadOnlyAttributes(attributes);
    expect("put" in reader || "delete" in reader).toBe(false);
    expect([reader.get(key), reader.get("k"), reader.keys()]).toEqual([1, 1, ["k"]]);
    reader.clone().put(key, 2);
    expect(attributes.get(key)).toBe(1);
  });
});

describe("equality of plain data", () => {
  it("agrees with a deep comparison", () => {
    const data = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
    const pair = fc
      .tuple(data, data)
      .chain(([a, b]) => fc.constantFrom<[unknown, unknown]>([a, b], [a, structuredClone(a)]));
    fc.assert(
      fc.property(pair, ([a, b]) => {
        expect(equalPlain(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  it.each([
    [[1, 2], { 0: 1, 1: 2 }],
    [{ a: undefined }, { b: undefined }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [null, {}],
    [1, "1"],
  ])("tells %j from %j", (a, b) => {
    expect(equalPlain(a, b)).toBe(false);
    expect(equalPlain(b, a)).toBe(false);
  });

  it("ends on data that holds itself", () => {
    const loop = (): { self?: unknown } => {
      const value: { self?: unknown } = {};
      value.self = value;
      return value;
    };
    expect(equalPlain(loop(), loop())).toBe(false);
  });
});
