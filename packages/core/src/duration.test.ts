import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  it.each([
    ["50ms", 50],
    ["1s", 1000],
    ["1.5s", 1500],
    [".5s", 500],
    ["1.s", 1000],
    ["1h30m", 5_400_000],
    ["2m0.5s", 120_500],
    ["1000us", 1],
    ["1000\u00b5s", 1],
    ["1000\u03bcs", 1],
    ["1000000ns", 1],
    ["0", 0],
    ["0s", 0],
  ])("reads %s", (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  it.each([
    "",
    "5",
    "-1s",
    "+1s",
    "1 s",
    "1S",
    "s",
    ".s",
    "1d",
    "1s1",
    "1.2.3s",
    "1e3s",
    "Infinity",
    `${"1".repeat(64)}s`,
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("takes numbers as ms, but no negative, infinite or missing ones", () => {
    expect(parseDuration(250)).toBe(250);
    for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(parseDuration(bad)).toBeUndefined();
  });

  it("reads whole hours, minutes, seconds and ms back", () => {
    const part = fc.integer({ min: 0, max: 999 });
    fc.assert(
      fc.property(part, part, part, part, (h, m, s, ms) => {
        const total = ((h * 60 + m) * 60 + s) * 1000 + ms;
        expect(parseDuration(`${h}h${m}m${s}s${ms}ms`)).toBe(total);
      }),
    );
  });

  it("gives a number that is not negative, or nothing, for any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseDuration(text);
        expect(ms === undefined || (Number.isFinite(ms) && ms >= 0)).toBe(true);
      }),
    );
  });
});
