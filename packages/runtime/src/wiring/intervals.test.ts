import { describe, expect, it } from "vitest";
import { endpointSource, pollingExtractor, pollingSource } from "../../test/support/plugins.ts";
import { resolveWiring } from "./resolve-wiring.ts";

function resolve(interval: string | number | undefined, ...sources: (number | undefined)[]) {
  const { wiring, problems } = resolveWiring({
    interval,
    sources: sources.map((own, index) => ({
      source: pollingSource(`s/${index}`, own === undefined ? {} : { interval: own }),
      extractors: [pollingExtractor("x")],
    })),
  });
  return {
    tick: wiring.tick,
    intervals: wiring.sources.map((source) => source.interval),
    warnings: wiring.warnings,
    problems: problems.map(({ code, message }) => `${code}: ${message}`),
  };
}

describe("intervals", () => {
  it("section 4: a source without an interval is polled on every tick", () => {
    expect(resolve("200ms", undefined)).toMatchObject({ tick: 200, intervals: [200] });
    expect(resolve(undefined, undefined)).toMatchObject({ tick: 1000, intervals: [1000] });
  });

  it("section 4: the tick is lowered to the smallest source interval", () => {
    expect(resolve("1s", 400, 200, undefined)).toMatchObject({
      ...{ tick: 200, intervals: [400, 200, 200], warnings: [] },
    });
  });

  it("section 4: the tick is at least 50 ms", () => {
    expect(resolve("1ms", undefined)).toMatchObject({ tick: 50, intervals: [50] });
    expect(resolve("1s", 10)).toMatchObject({ tick: 50, intervals: [50] });
  });

  it("section 4: other intervals are rounded to the nearest multiple, and that is said", () => {
    expect(resolve("50ms", 70, 75, 150, 1)).toMatchObject({
      ...{ tick: 50, intervals: [50, 100, 150, 50] },
      warnings: [
        "source s/0 is polled every 50 ms, not every 70 ms: intervals are multiples of the tick of 50 ms",
        "source s/1 is polled every 100 ms, not every 75 ms: intervals are multiples of the tick of 50 ms",
        "source s/3 is polled every 50 ms, not every 1 ms: intervals are multiples of the tick of 50 ms",
      ],
    });
  });

  it("says nothing of what only floating point rounds", () => {
    expect(resolve(50.1, 150.3).warnings).toEqual([]);
  });

  it.each(["soon", "0s", "-1s", 0, Number.NaN])("refuses the base interval %j", (interval) => {
    expect(resolve(interval, undefined).problems).toEqual([
      `CONFIG_INVALID: "${interval}" is no interval: use a duration above 0 such as 50ms, 1s, or ms as a number`,
    ]);
  });

  it.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses the source interval %d",
    (own) => {
      expect(resolve("1s", own).problems).toEqual([
        `CONFIG_INVALID: source s/0 has the interval ${own}: it must be above 0 ms`,
      ]);
    },
  );
});

describe("hints", () => {
  it("warns of a source without extractors and of a fleet that cannot become fresh", () => {
    const lora = { ...pollingExtractor("lora"), provides: undefined };
    const { wiring } = resolveWiring({
      sources: [{ source: pollingSource(), extractors: [lora] }, { source: endpointSource() }],
    });
    expect(wiring.warnings).toEqual([
      "source endpoint-source/endpoint-source has no extractors",
      "no extractor provides freshness: any poll that succeeds makes an endpoint fresh",
    ]);
  });
});
