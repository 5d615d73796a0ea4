import { describe, expect, it } from "vitest";
import { createPageParser, parsePage } from "./page-parser.ts";

const text = (page: string): Uint8Array => new TextEncoder().encode(page);
const openmetrics = "application/openmetrics-text; version=1.0.0";

/** Every sample of a page as [name, labels, value, timestamp], and what was skipped. */
function read(page: string | Uint8Array, contentType?: string) {
  const parsed = parsePage(typeof page === "string" ? text(page) : page, { contentType });
  const samples = [...parsed.families()].flatMap((family) =>
    family.samples.map((s) => [s.name, { ...s.labels }, s.value, s.timestamp]),
  );
  return { samples, skipped: parsed.skipped };
}

describe("sample lines", () => {
  it.each([
    ["a 1", {}, 1],
    ["a{} 1", {}, 1],
    ["a\t1\t", {}, 1],
    ["  \t a 1", {}, 1],
    ['a{b="c"}1', { b: "c" }, 1],
    ['a {b="c"} 1', { b: "c" }, 1],
    ['a{ b = "c" , d="e" , } 1', { b: "c", d: "e" }, 1],
    ['a{b=""} 1', {}, 1],
    [String.raw`a{b="x\\n\"y\n\z"} 1`, { b: 'x\\n"y\n\\z' }, 1],
    ['a{b="}, {c=\\"d\\"} 2"} 1', { b: '}, {c="d"} 2' }, 1],
    ['a{b="# x"} 1 # {id="z"} 0.5 17.1', { b: "# x" }, 1],
    ['a{b="grüße"} 1', { b: "grüße" }, 1],
    ["a 1\r", {}, 1],
    ["a 8.0", {}, 8],
    ["a 8.00", {}, 8],
    ["a 9007199254740993", {}, 9007199254740992],
    ['a{__proto__="x",constructor="y"} 1', JSON.parse('{"__proto__":"x","constructor":"y"}'), 1],
    ['{"a"} 1', {}, 1],
    ['{"a",b="c"} 1', { b: "c" }, 1],
    ['{ "a" , "b.c"="d" } 1', { "b.c": "d" }, 1],
  ])("reads %j", (line, labels, value) => {
    expect(read(`${line}\n`)).toEqual({ samples: [["a", labels, value, undefined]], skipped: 0 });
    expect(read(line).samples).toHaveLength(1);
  });

  it.each([
    "a",
    "a ",
    "a x",
    "a{ 1",
    "a{b} 1",
    "a{b=} 1",
    "a{b=c} 1",
    'a{b="c} 1',
    'a{b="c"',
    'a{b="c"}',
    'a{b="c" d="e"} 1',
    "a{,} 1",
    'a{b="c",,} 1',
    'a{1b="c"} 1',
    'a{b="1",b="2"} 1',
    'a{b="",b=""} 1',
    "a~ 1",
    "a.b 1",
    "1a 1",
    "ä 1",
    "a 1 x",
    "a 1 1.5",
    "a 1 2 3",
    "a 1_000",
    "a 0x10",
    '{b="c"} 1',
    '{""} 1',
    '{"a" 1',
    '{"a"b="c"} 1',
    "# TYPE a thing",
    "# TYPE a{} gauge",
    "# HELP",
    "# TYPE",
  ])("skips %j and keeps what is around it", (line) => {
    const { samples, skipped } = read(`x 1\n${line}\ny 2\n`);
    expect(samples).toEqual([
      ["x", {}, 1, undefined],
      ["y", {}, 2, undefined],
    ]);
    expect(skipped).toBe(1);
  });

  it("keeps labels without prototype and frozen", () => {
    const labels = parsePage(text('a{b="c"} 1')).family("a")?.samples[0]?.labels ?? {};
    expect(Object.getPrototypeOf(labels)).toBeNull();
    expect(Object.isFrozen(labels)).toBe(true);
  });

  it("shows invalid UTF-8 as U+FFFD and loses nothing else", () => {
    const bytes = Uint8Array.of(...text('a{b="'), 0xff, 0xc3, ...text('x"} 1\nc 2\n'));
    expect(read(bytes).samples).toEqual([
      ["a", { b: "\ufffd\ufffdx" }, 1, undefined],
      ["c", {}, 2, undefined],
    ]);
  });

  it("skips a byte order mark, but keeps one inside a label", () => {
    expect(read('\ufeffa{b="\ufeffx"} 1').samples).toEqual([["a", { b: "\ufeffx" }, 1, undefined]]);
  });
});

describe("timestamps", () => {
  it("are ms in the text format", () => {
    expect(read("a 1 1758000000123\na 1 -5").samples.map((s) => s[3])).toEqual([1758000000123, -5]);
  });

  it("are seconds in OpenMetrics, and an exemplar is none", () => {
    const page = 'a 1 1758000000.123\na 1 # {t="x"} 0.06 1758000000.5\na 1 NaN\n# EOF\n';
    expect(read(page, openmetrics)).toEqual({
      samples: [
        ["a", {}, 1, 1758000000123],
        ["a", {}, 1, undefined],
      ],
      skipped: 1,
    });
  });
});

describe("families", () => {
  const family = (page: string, name: string) => {
    const found = parsePage(text(page)).family(name);
    return found && { ...found, samples: found.samples.map((s) => `${s.name} ${s.value}`) };
  };

  it("merges metadata that comes twice or late, the first winning", () => {
    const page =
      "a 1\n# TYPE a gauge\n# HELP a one\\n\\\\two\nb 1\n# TYPE a counter\n# HELP a x\na 2\n";
    expect(family(page, "a")).toEqual({
      name: "a",
      type: "gauge",
      help: "one\n\\two",
      unit: "",
      samples: ["a 1", "a 2"],
    });
  });

  it("keeps a family that has only metadata", () => {
    expect(family("# HELP a x\n", "a")).toMatchObject({ type: "unknown", help: "x", samples: [] });
    expect(family("# TYPE a untyped\n", "a")).toMatchObject({ type: "unknown", help: "" });
    expect(family("# TYPE a GAUGE\n", "a")).toMatchObject({ type: "gauge" });
  });

  it("gathers the samples of histograms and summaries, whichever order the lines have", () => {
    const page = 'h_sum 3\nh_bucket{le="+Inf"} 2\nh_count 2\n# TYPE h histogram\nh_other 1\n';
    expect(family(page, "h")?.samples).toEqual(["h_sum 3", "h_bucket 2", "h_count 2"]);
    expect(family(page, "h_sum")).toBeUndefined();
    expect(family(page, "h_other")?.samples).toEqual(["h_other 1"]);
  });

  it("leaves a declared name to itself, and a suffix that does not fit the type", () => {
    expect(
      family("# TYPE h histogram\n# TYPE h_count gauge\nh_count 1\n", "h_count")?.samples,
    ).toEqual(["h_count 1"]);
    expect(family("# TYPE g gauge\ng_count 1\n", "g_count")?.samples).toEqual(["g_count 1"]);
  });

  it("finds counters and infos with and without their suffix", () => {
    const modern = "# TYPE c counter\nc_total 1\n# TYPE i info\ni_info 1\n";
    expect(family(modern, "c_total")).toEqual(family(modern, "c"));
    expect(family(modern, "i_info")?.name).toBe("i");
    expect(family("# TYPE c_total counter\nc_total 1\n", "c")?.name).toBe("c_total");
    expect(family("# TYPE c_total histogram\nc_total_sum 1\n", "c")).toBeUndefined();
  });

  it("finds nothing under the names of object members", () => {
    for (const name of ["__proto__", "constructor", "toString"])
      expect(family("a 1\n", name)).toBeUndefined();
    expect(family("__proto__ 1\n", "__proto__")?.samples).toEqual(["__proto__ 1"]);
  });

  it("reads units and quoted names", () => {
    const page = '# TYPE "a.b" gauge\n# UNIT "a.b" seconds\n{"a.b",c="d"} 1\n';
    expect(family(page, "a.b")).toMatchObject({ type: "gauge", unit: "seconds" });
  });
});

describe("selection", () => {
  it("skips what nobody asked for, counted lines included", () => {
    const parser = createPageParser({ families: ["a", "c"] });
    const page = parser.parse(text("a 1\na{ 2\nb{ 3\nb 4\n~ 5\nab 6\nc 7\n"));
    expect([...page.families()].map((family) => family.name)).toEqual(["a", "c"]);
    expect(page.skipped).toBe(1);
    expect(page.family("b")).toBeUndefined();
  });

  it("reads everything for *", () => {
    const page = createPageParser({ families: ["a", "*"] }).parse(text("a 1\nb 2\n"));
    expect(page.family("b")?.samples).toHaveLength(1);
  });

  it("wants nothing for an empty list", () => {
    expect([...createPageParser({ families: [] }).parse(text("a 1\n")).families()]).toEqual([]);
  });
});
