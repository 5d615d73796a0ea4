import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { numberText } from "./number-text.ts";

const pages = [
  "vllm-main-2026-v1",
  "sglang-0.5.12-dp2",
  "sglang-0.5.9-cacheconfiginfo",
  "trtllm-serve-1.0-unprefixed",
];

describe("numbers are written as prometheus_client writes them", () => {
  for (const name of pages)
    it(`every value and bound of ${name}`, () => {
      const url = new URL(`../../../../fixtures/metrics/${name}.prom`, import.meta.url);
      const lines = readFileSync(url, "utf8")
        .split("\n")
        .filter((line) => line && !line.startsWith("#"));
      expect(lines.length).toBeGreaterThan(90);
      for (const line of lines) {
        const value = line.slice(line.lastIndexOf(" ") + 1);
        expect(numberText(Number(value))).toBe(value);
        const bound = line.match(/le="([\d.e+-]+)"/)?.[1];
        if (bound !== undefined) expect(numberText(Number(bound))).toBe(bound);
      }
    });

  it.each([
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [0, "0.0"],
    [-3, "-3.0"],
    [0.00001, "1e-05"],
    [1.5e-9, "1.5e-09"],
    [123456.75, "123456.75"],
    [1_000_000, "1e+06"],
    [12_345_678.5, "1.23456785e+07"],
    [1e16, "1e+16"],
    [2.5e21, "2.5e+21"],
  ])("%d", (value, text) => expect(numberText(value)).toBe(text));
});
