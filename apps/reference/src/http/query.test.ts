import { isMusterError } from "@muster/core";
import { describe, expect, it } from "vitest";
import { parseFilter } from "./query.ts";

describe("parseFilter", () => {
  it("reads states, labels and a model", () => {
    const query = { state: ["fresh", "stale"], label: ["zone=a", "k=v=w"], model: ["m"] };
    expect(parseFilter(query)).toEqual({
      state: ["fresh", "stale"],
      labels: { zone: "a", k: "v=w" },
      model: "m",
    });
  });

  it("filters nothing without parameters", () => {
    expect(parseFilter({})).toEqual({});
  });

  it.each([
    [{ stat: ["fresh"] }, /"stat" is not a filter/],
    [{ state: ["happy"] }, /"happy" is none of pending/],
    [{ label: ["zone"] }, /must be KEY=VALUE/],
    [{ label: ["=a"] }, /must be KEY=VALUE/],
    [{ model: ["a", "b"] }, /may be given once/],
    [{ model: ["x".repeat(513)] }, /longer than 512/],
  ])("refuses %j", (query, message) => {
    expect(() => parseFilter(query)).toThrow(message);
    try {
      parseFilter(query);
    } catch (error) {
      expect(isMusterError(error) && error.code).toBe("BAD_REQUEST");
    }
  });

  it("takes a hostile label key as data", () => {
    const { labels } = parseFilter({ label: ["__proto__=x"] });
    expect(Object.keys(labels ?? {})).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(labels)).toBeNull();
  });
});
