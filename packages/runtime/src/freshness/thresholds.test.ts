import { describe, expect, it } from "vitest";
import { codes } from "../../test/support/collect.ts";
import { readingSource } from "../../test/support/fleet.ts";
import type { WiredSource } from "../wiring/wiring.ts";
import { resolveThresholds } from "./thresholds.ts";

function polledEvery(interval: number): WiredSource {
  return { source: readingSource(() => 1), origin: "configured", interval, extractors: [] };
}

describe("freshness thresholds", () => {
  it("default to 5 intervals, at least 1 s, and 5 failures", () => {
    const { of, problems, warnings } = resolveThresholds({}, [polledEvery(1000)]);
    expect(of(1000)).toEqual({ staleAfter: 5000, unreachableAfter: 5 });
    expect(of(50).staleAfter).toBe(1000);
    expect([problems, warnings]).toEqual([[], []]);
  });

  it("an interval longer than staleAfter is refused: all would be stale for ever [llm-d-router#2514]", () => {
    const { problems } = resolveThresholds({ staleAfter: "900ms" }, [polledEvery(1000)]);
    expect(codes(problems)).toEqual(["CONFIG_INVALID"]);
    expect(problems[0]?.message).toMatch(/every 1000 ms and stale after 900 ms.*raise/);
    expect(problems[0]?.path).toBe("freshness.staleAfter");
  });

  it("an interval just below it is a warning", () => {
    const { problems, warnings } = resolveThresholds({ staleAfter: "1.5s" }, [polledEvery(1000)]);
    expect(problems).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it.each([
    [{ staleAfter: "soon" }, "freshness.staleAfter"],
    [{ staleAfter: 0 }, "freshness.staleAfter"],
    [{ unreachableAfter: 0 }, "freshness.unreachableAfter"],
    [{ unreachableAfter: 1.5 }, "freshness.unreachableAfter"],
  ])("refuses %j, naming it", (options, path) => {
    const { problems } = resolveThresholds(options, []);
    expect(problems.map((problem) => [problem.code, problem.path])).toEqual([
      ["CONFIG_INVALID", path],
    ]);
  });
});
