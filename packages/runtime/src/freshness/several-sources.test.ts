import { MusterError, type PollingSource } from "@muster/core";
import { createFakeClock, type FakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { queueExtractor, readingSource } from "../../test/support/fleet.ts";

function failing(): never {
  throw new MusterError("SCRAPE_STATUS", "status 500");
}

function source(
  name: string,
  { provides, poll = () => 1 }: { provides?: boolean; poll?: () => number },
): PollingSource<number> {
  const made = readingSource(poll, { name });
  if (provides !== undefined)
    made.appendExtractor(queueExtractor({ name: `${name}-extractor`, provides }));
  return made;
}

async function statesOf(
  sources: readonly PollingSource<number>[],
  clock: FakeClock = createFakeClock(),
): Promise<{ aggregate: string; each: Record<string, string> }> {
  const { put, view } = collect({ clock, sources });
  put("a");
  await clock.advance(1500);
  const each = [...view("a").sources].map(([name, { state }]) => [name.split("/")[1], state]);
  return { aggregate: view("a").freshness.state, each: Object.fromEntries(each) };
}

describe("design Freshness: several sources", () => {
  it("each has its own; only one with an extractor that provides freshness makes the endpoint fresh", async () => {
    expect(
      await statesOf([
        source("lora", { provides: false }),
        source("core", { provides: true, poll: failing }),
      ]),
    ).toEqual({ aggregate: "pending", each: { lora: "fresh", core: "pending" } });
  });

  it("when no source has such an extractor, a successful poll is enough", async () => {
    expect(await statesOf([source("plain", {})])).toEqual({
      aggregate: "fresh",
      each: { plain: "fresh" },
    });
  });

  it("the best of those that count is the endpoint's", async () => {
    const sources = [
      source("bad", { provides: true, poll: failing }),
      source("good", { provides: true }),
    ];
    const { aggregate, each } = await statesOf(sources);
    expect([aggregate, each.good]).toEqual(["fresh", "fresh"]);
  });

  it("one extractor that provides freshness is enough when another fails", async () => {
    const clock = createFakeClock();
    const both = readingSource(() => 1);
    const broken = (): never => {
      throw new MusterError("EXTRACT_MISSING", "missing");
    };
    both.appendExtractor(queueExtractor({ name: "works" }));
    both.appendExtractor(queueExtractor({ name: "broken", extract: broken }));
    expect((await statesOf([both], clock)).aggregate).toBe("fresh");
  });

  it("an extractor that does not provide it can fail without making stale", async () => {
    const mixed = source("mixed", { provides: true });
    mixed.appendExtractor(queueExtractor({ name: "other", provides: false, extract: failing }));
    expect((await statesOf([mixed])).aggregate).toBe("fresh");
  });

  it("of equals the one with the latest success is shown", async () => {
    const clock = createFakeClock();
    const often = readingSource(() => 1, { name: "often", interval: 100 });
    const seldom = readingSource(() => 1, { name: "seldom", interval: 1000 });
    const { put, view } = collect({ clock, sources: [seldom, often] });
    put("a");
    await clock.advance(2950);
    const { lastSuccess } = view("a").freshness;
    expect(lastSuccess).toBe(view("a").sources.get("reading-source/often")?.lastSuccess);
  });
});
