import { describe, expect, it } from "vitest";
import { isMusterError } from "../errors.ts";
import { engineOf } from "./engine-label.ts";
import type { Sample } from "./families.ts";
import { matchesMetricSpec, parseMetricSpec } from "./metric-spec.ts";

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(parseMetricSpec(text).labels);
}

function sample(name: string, labels: Record<string, string> = {}): Sample {
  return { name, labels, value: 1, timestamp: undefined };
}

describe("section 8: a metric spec is a name with optional label matchers", () => {
  it("reads a bare name", () => {
    expect(parseMetricSpec(" vllm:num_requests_waiting ")).toMatchObject({
      name: "vllm:num_requests_waiting",
      labels: [],
    });
    expect(parseMetricSpec("a{}").labels).toEqual([]);
  });

  it.each([
    ["m{a=b}", { a: "b" }],
    ['m{a="b"}', { a: "b" }],
    ['m { a = "b" , c = d e , }', { a: "b", c: "d e" }],
    ['m{a="x,y}{\\"\\\\\\n"}', { a: 'x,y}{"\\\n' }],
    ['m{a=""}', { a: "" }],
  ])("reads %s: quotes are optional", (text, labels) => {
    expect(labelsOf(text)).toEqual(labels);
  });

  it.each([
    "",
    "1a",
    "a b",
    "a{",
    "a{b}",
    "a{b=}",
    "a{b=c",
    'a{b="c}',
    'a{b="c"d}',
    "a{b=c}d",
    "a{b!=c}",
    'a{b=~"c"}',
    "a{b=1,b=2}",
    "a{1=b}",
    "a".repeat(1025),
  ])("refuses %j, showing it", (text) => {
    try {
      parseMetricSpec(text);
    } catch (error) {
      expect(isMusterError(error) && error.code).toBe("CONFIG_INVALID");
      expect(String(error)).toMatch(/longer than 1024|expected/);
      return;
    }
    expect.unreachable();
  });

  it("matches series by label, an absent label being an empty one", () => {
    const spec = parseMetricSpec('m{a=b,c=""}');
    expect(matchesMetricSpec(spec, sample("m", { a: "b", d: "e" }))).toBe(true);
    expect(matchesMetricSpec(spec, sample("m", { a: "b", c: "d" }))).toBe(false);
    expect(matchesMetricSpec(spec, sample("m", { a: "c" }))).toBe(false);
    expect(matchesMetricSpec(spec, sample("m_count", { a: "b" }))).toBe(false);
  });

  it("finds a counter with and without _total", () => {
    for (const name of ["c", "c_total"])
      for (const found of ["c", "c_total"])
        expect(matchesMetricSpec(parseMetricSpec(name), sample(found))).toBe(true);
    expect(matchesMetricSpec(parseMetricSpec("c"), sample("c_created"))).toBe(false);
  });
});

describe("section 8: the endpoint's label names its engine", () => {
  it("reads the label, then the key it had before", () => {
    const former = "inference.networking.k8s.io/engine-type";
    expect(engineOf({ "llm-d.ai/engine-type": "sglang", [former]: "vllm" })).toBe("sglang");
    expect(engineOf({ "llm-d.ai/engine-type": "", [former]: "vllm" })).toBe("vllm");
    expect(engineOf({ engine: "tgi", [former]: "vllm" }, "engine")).toBe("tgi");
    expect(engineOf({})).toBeUndefined();
  });
});
