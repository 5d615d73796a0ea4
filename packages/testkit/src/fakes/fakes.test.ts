import { delay } from "@muster/core";
import { describe, expect, it } from "vitest";
import { createFakeClock } from "./clock.ts";
import { createFakeEndpoint } from "./endpoint.ts";
import { createRecordingLogger } from "./logger.ts";
import { createRecordingMeter } from "./meter.ts";

describe("createFakeClock", () => {
  it("runs due callbacks in order of time, then of scheduling, and no others", async () => {
    const clock = createFakeClock({ now: 1000 });
    const ran: string[] = [];
    clock.schedule(() => ran.push(`late ${clock.monotonic()}`), 30);
    clock.schedule(() => ran.push(`first ${clock.monotonic()}`), 10);
    clock.schedule(() => ran.push(`second ${clock.monotonic()}`), 10);
    clock.schedule(() => ran.push("never"), 31);
    await clock.advance(30);
    expect(ran).toEqual(["first 10", "second 10", "late 30"]);
    expect([clock.now(), clock.monotonic(), clock.pending]).toEqual([1030, 30, 1]);
  });

  it("lets promises settle between two callbacks, so that a loop over delays keeps pace", async () => {
    const clock = createFakeClock();
    const at: number[] = [];
    const loop = (async () => {
      for (let turn = 0; turn < 4; turn++) {
        await delay(clock, 10, new AbortController().signal);
        await Promise.resolve().then(() => Promise.resolve());
        at.push(clock.monotonic());
      }
    })();
    await clock.advance(40);
    await loop;
    expect(at).toEqual([10, 20, 30, 40]);
  });

  it("forgets a cancelled callback", async () => {
    const clock = createFakeClock();
    const cancel = clock.schedule(() => expect.unreachable(), 1);
    cancel();
    cancel();
    expect(clock.pending).toBe(0);
    await clock.advance(5);
  });

  it("takes a negative or NaN delay as now, as setTimeout does", async () => {
    const clock = createFakeClock();
    let ran = 0;
    clock.schedule(() => ran++, -5);
    clock.schedule(() => ran++, Number.NaN);
    await clock.advance(0);
    expect(ran).toBe(2);
  });

  it("jumps the wall clock alone", async () => {
    const clock = createFakeClock({ now: 1000 });
    await clock.advance(5);
    clock.setNow(500);
    expect([clock.now(), clock.monotonic()]).toEqual([500, 5]);
    await clock.advance(1);
    expect(clock.now()).toBe(501);
  });

  it("rejects with what a callback throws, and refuses to go back", async () => {
    const clock = createFakeClock();
    clock.schedule(() => {
      throw new Error("from the callback");
    }, 1);
    await expect(clock.advance(1)).rejects.toThrow("from the callback");
    await expect(clock.advance(-1)).rejects.toThrow("cannot advance");
  });
});

describe("a loop without pause", () => {
  it("is reported instead of running for ever", async () => {
    const clock = createFakeClock();
    const again = (): void => void clock.schedule(again, 0);
    again();
    await expect(clock.advance(1)).rejects.toThrow("more than 100000 callbacks");
  });
});

describe("createRecordingLogger", () => {
  it("keeps lines with level and fields", () => {
    const logger = createRecordingLogger();
    logger.warn({ file: "a" }, "changed");
    logger.debug({}, "done");
    expect(logger.lines).toEqual([
      { level: "warn", fields: { file: "a" }, message: "changed" },
      { level: "debug", fields: {}, message: "done" },
    ]);
  });
});

describe("createRecordingMeter", () => {
  it("adds up counters and sums the series that have the given labels", () => {
    const meter = createRecordingMeter();
    const errors = meter.counter({ name: "errors", help: "", labels: ["source", "code"] });
    errors.add(1, { source: "a", code: "x" });
    errors.add(2, { code: "x", source: "a" });
    errors.add(4, { source: "b", code: "x" });
    expect(meter.value("errors", { source: "a", code: "x" })).toBe(3);
    expect(meter.value("errors", { code: "x" })).toBe(7);
    expect(meter.value("errors", { source: "c" })).toBeUndefined();
    expect(meter.value("never")).toBeUndefined();
  });

  it("gives one instrument for one name", () => {
    const meter = createRecordingMeter();
    meter.counter({ name: "n", help: "" }).add(1);
    meter.counter({ name: "n", help: "" }).add(1);
    expect(meter.value("n")).toBe(2);
    expect(() => meter.gauge({ name: "n", help: "" })).toThrow("counter already");
  });

  it("keeps the last value of a gauge until it is removed", () => {
    const meter = createRecordingMeter();
    const gauge = meter.gauge({ name: "g", help: "", labels: ["state"] });
    gauge.set(4, { state: "fresh" });
    gauge.set(3, { state: "fresh" });
    expect(meter.value("g")).toBe(3);
    gauge.remove({ state: "fresh" });
    expect(meter.value("g")).toBeUndefined();
  });

  it("keeps every observation", () => {
    const meter = createRecordingMeter();
    const histogram = meter.histogram({ name: "h", help: "", labels: ["source"] });
    histogram.observe(2, { source: "a" });
    histogram.observe(1, { source: "a" });
    expect(meter.observations("h", { source: "a" })).toEqual([2, 1]);
    expect(meter.observations("h", { source: "b" })).toEqual([]);
  });

  it("refuses what real meters refuse", () => {
    const meter = createRecordingMeter();
    const counter = meter.counter({ name: "c", help: "" });
    expect(() => counter.add(1, { undeclared: "x" })).toThrow("undeclared");
    expect(() => counter.add(-1)).toThrow("counter");
  });
});

describe("createFakeEndpoint", () => {
  it("is a real endpoint with the given fields", () => {
    const endpoint = createFakeEndpoint({ name: "x", labels: { a: "b" } });
    endpoint.updateMetrics({ waitingQueueSize: 3 });
    expect(endpoint.id).toBe("default/x");
    expect(endpoint.metadata.labels.a).toBe("b");
    expect(endpoint.metrics.waitingQueueSize).toBe(3);
  });
});
