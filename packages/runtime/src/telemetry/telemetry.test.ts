import { MusterError } from "@muster/core";
import { createFakeClock, createRecordingLogger, type LogLine } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { queueExtractor, readingSource } from "../../test/support/fleet.ts";
import { createLimitedLogger } from "./limited-logger.ts";

function server() {
  const clock = createFakeClock();
  const does: { poll: "ok" | "down"; extract: "ok" | "missing" } = { poll: "ok", extract: "ok" };
  const source = readingSource(() => {
    if (does.poll === "down") throw new MusterError("SCRAPE_AUTH", "status 401");
    return 1;
  });
  source.appendExtractor(queueExtractor({ name: "core" }));
  const extract = (): void => {
    if (does.extract === "missing") throw new MusterError("EXTRACT_MISSING", "no queue");
  };
  source.appendExtractor(queueExtractor({ name: "picky", provides: false, extract }));
  return { does, clock, ...collect({ clock, sources: [source] }) };
}

const spoken = ({ lines }: { lines: readonly LogLine[] }): string[] =>
  lines.filter(({ level }) => level !== "debug").map(({ level, message }) => `${level} ${message}`);

describe("section 3: errors are counted", () => {
  it("a failed poll in datalayer_poll_errors_total by source type", async () => {
    const { does, put, clock, meter } = server();
    does.poll = "down";
    put("a");
    await clock.advance(2500);
    expect(
      meter.value("muster_datalayer_poll_errors_total", { source_type: "reading-source" }),
    ).toBe(3);
    expect(meter.value("muster_datalayer_extract_errors_total")).toBeUndefined();
  });

  it("a failed extractor in datalayer_extract_errors_total by source and extractor type, and stops no sibling", async () => {
    const { does, put, clock, meter, view } = server();
    does.extract = "missing";
    put("a");
    await clock.advance(2500);
    expect(
      meter.value("muster_datalayer_extract_errors_total", {
        source_type: "reading-source",
        extractor_type: "picky",
      }),
    ).toBe(3);
    expect(meter.value("muster_datalayer_poll_errors_total")).toBeUndefined();
    expect(view("a").metrics.waitingQueueSize).toBe(1);
    expect(view("a").freshness).toMatchObject({ state: "fresh", errorCode: undefined });
  });
});

describe("what is measured", () => {
  it("durations, lateness, endpoints by state and the age of the oldest success", async () => {
    const { does, put, drop, clock, meter } = server();
    for (const name of ["a", "b"]) put(name);
    put("off", { metrics: { enabled: false } });
    await clock.advance(3000);
    const count = (state: string): number | undefined =>
      meter.value("muster_datalayer_endpoints", { state });
    expect(["fresh", "unpolled", "stale", "pending"].map(count)).toEqual([2, 1, 0, 0]);
    expect(meter.observations("muster_datalayer_scrape_duration_seconds").length).toBeGreaterThan(
      3,
    );
    expect(meter.observations("muster_datalayer_tick_lateness_seconds").length).toBeGreaterThan(3);
    does.poll = "down";
    drop("b");
    await clock.advance(4000);
    const age = meter.value("muster_datalayer_oldest_success_age_seconds") ?? 0;
    expect(age).toBeGreaterThanOrEqual(4);
    expect(age).toBeLessThan(5);
    drop("a");
    await clock.advance(1000);
    expect(meter.value("muster_datalayer_oldest_success_age_seconds")).toBeUndefined();
    expect(["fresh", "unpolled", "unreachable"].map(count)).toEqual([0, 1, 0]);
  });
});

describe("the log", () => {
  it("has one line per change of state, none per poll", async () => {
    const { does, put, clock, logger } = server();
    put("a");
    await clock.advance(20_000);
    expect(spoken(logger)).toEqual([]);
    does.poll = "down";
    await clock.advance(20_000);
    does.poll = "ok";
    await clock.advance(20_000);
    expect(spoken(logger)).toEqual([
      "warn endpoint is unreachable",
      "info endpoint is fresh again",
    ]);
    expect(logger.lines.find(({ level }) => level === "warn")?.fields).toEqual({
      endpoint: "default/a",
      before: "fresh",
      code: "SCRAPE_AUTH",
      error: "status 401",
    });
  });

  it("says once when an extractor begins to fail on an endpoint, and when it works again [aibrix#446]", async () => {
    const { does, put, clock, logger } = server();
    put("a");
    does.extract = "missing";
    await clock.advance(20_000);
    does.extract = "ok";
    await clock.advance(20_000);
    expect(spoken(logger)).toEqual([
      "warn extractor began to fail on an endpoint",
      "info extractor works again on an endpoint",
    ]);
  });

  it("is limited: a fleet that fails as a whole gives 50 lines, then how many were left out", async () => {
    const clock = createFakeClock();
    const logger = createRecordingLogger();
    const limited = createLimitedLogger(logger, clock);
    const say = (n: number): void => limited.warn({ n }, "endpoint is stale");
    for (let n = 0; n < 80; n += 1) say(n);
    limited.warn({}, "something else");
    expect(logger.lines).toHaveLength(51);
    await clock.advance(10_000);
    say(80);
    say(81);
    expect(logger.lines.slice(51).map(({ fields }) => fields)).toEqual([
      { n: 80, suppressed: 30 },
      { n: 81 },
    ]);
  });
});
