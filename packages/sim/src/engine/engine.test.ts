import { createFakeClock, type FakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { Engine, type EngineOptions } from "./engine.ts";
import { LoraUsage } from "./lora-usage.ts";
import type { Measure } from "./measures.ts";
import type { RankLimits } from "./rank.ts";
import type { FinishReason, SequenceInit } from "./sequence.ts";

interface Bench {
  readonly engine: Engine;
  readonly clock: FakeClock;
  /** Observed values by measure. */
  readonly observed: Map<Measure, number[]>;
  readonly loras: LoraUsage;
}

const limits: RankLimits = {
  maxRunning: 2,
  maxLoras: 1,
  blockSize: 16,
  numBlocks: 100,
  prefillTokensPerSecond: 1000,
  decodeTokensPerSecond: 50,
  batchTokensPerSecond: 10_000,
};

function bench(
  changes: Partial<RankLimits> = {},
  options: Partial<EngineOptions> & { ranks?: number } = {},
): Bench {
  const clock = createFakeClock();
  const loras = new LoraUsage();
  const observed = new Map<Measure, number[]>();
  const observe = (measure: Measure, value: number, times = 1): void => {
    const values = observed.get(measure) ?? [];
    observed.set(measure, [...values, ...Array<number>(times).fill(value)]);
  };
  const engine = new Engine({
    limits: { ...limits, ...changes },
    maxWaiting: 10,
    stepInterval: 20,
    clock,
    loras,
    observers: Array.from({ length: options.ranks ?? 1 }, () => observe),
    ...options,
  });
  return { engine, clock, observed, loras };
}

interface Tracked {
  readonly init: SequenceInit;
  tokens: number;
  ended: FinishReason | undefined;
}

function request(changes: Partial<SequenceInit> = {}): Tracked {
  const tracked: Tracked = {
    tokens: 0,
    ended: undefined,
    init: {
      promptTokens: 100,
      cachedTokens: 0,
      outputTokens: 10,
      ending: "stop",
      maxTokens: 10,
      lora: undefined,
      onTokens: (count) => {
        tracked.tokens += count;
      },
      onFinish: (reason) => {
        tracked.ended = reason;
      },
      ...changes,
    },
  };
  return tracked;
}

describe("a request", () => {
  it("is prefilled, generates at the rate, ends, and frees everything", async () => {
    const { engine, clock, observed } = bench();
    const [rank] = engine.ranks;
    const one = request();
    engine.submit(one.init);
    expect(rank).toMatchObject({ running: 1, waiting: 0, usedBlocks: 7, prefilling: 1 });
    await clock.advance(80);
    expect(one.tokens).toBe(0);
    await clock.advance(20);
    expect(one.tokens).toBe(1);
    await clock.advance(9 * 20);
    expect(one).toMatchObject({ tokens: 10, ended: "stop" });
    expect(rank).toMatchObject({ running: 0, usedBlocks: 0 });
    expect(rank?.totals).toMatchObject({
      requests: 1,
      stop: 1,
      promptTokens: 100,
      generatedTokens: 10,
    });
    expect(observed.get("timeToFirstToken")).toEqual([0.1]);
    expect(observed.get("endToEnd")).toEqual([0.28]);
    expect(observed.get("decodeTime")?.[0]).toBeCloseTo(0.18);
    expect(observed.get("timePerOutputToken")?.[0]).toBeCloseTo(0.02);
    expect(observed.get("interTokenLatency")).toHaveLength(9);
  });

  it("computes only what the prefix cache does not have", async () => {
    const { engine, clock, observed } = bench();
    engine.submit(request({ cachedTokens: 80 }).init);
    await clock.advance(20);
    expect(observed.get("timeToFirstToken")).toEqual([0.02]);
    expect(engine.ranks[0]?.totals).toMatchObject({ computedTokens: 20, cachedTokens: 80 });
  });

  it("shares the rank's token rate with the others", async () => {
    const { engine, clock } = bench({ batchTokensPerSecond: 50 });
    const [one, two] = [request({ promptTokens: 1 }), request({ promptTokens: 1 })];
    engine.submit(one.init);
    engine.submit(two.init);
    await clock.advance(20 + 200);
    expect(one.tokens + two.tokens).toBe(2 + 10);
  });

  it("leaves no timer behind when all is done", async () => {
    const { engine, clock } = bench();
    engine.submit(request().init);
    expect(clock.pending).toBe(1);
    await clock.advance(2000);
    expect(clock.pending).toBe(0);
    expect(engine.ranks[0]?.throughput).toBe(0);
  });
});

describe("admission", () => {
  it("waits for a place in the batch, first come, first served", async () => {
    const { engine, clock, observed } = bench();
    const all = [request(), request(), request({ outputTokens: 5 })];
    for (const { init } of all) engine.submit(init);
    expect(engine.ranks[0]).toMatchObject({ running: 2, waiting: 1, deferred: 0 });
    await clock.advance(5000);
    expect(all.map(({ ended }) => ended)).toEqual(["stop", "stop", "stop"]);
    expect(observed.get("queueTime")?.slice(0, 2)).toEqual([0, 0]);
    expect(observed.get("queueTime")?.[2]).toBeGreaterThan(0.2);
  });

  it("waits for room in the cache", () => {
    const { engine } = bench({ numBlocks: 10 });
    engine.submit(request().init);
    engine.submit(request().init);
    expect(engine.ranks[0]).toMatchObject({ running: 1, waiting: 1, usedBlocks: 7 });
    expect(engine.ranks[0]?.kvUsage).toBeCloseTo(0.7);
  });

  it("refuses when the queue is full", () => {
    const { engine } = bench({ maxRunning: 1 }, { maxWaiting: 1 });
    expect(engine.submit(request().init)).toBeDefined();
    expect(engine.submit(request().init)).toBeDefined();
    expect(engine.submit(request().init)).toBeUndefined();
  });

  it("passes over a request whose adapter has no place, and takes it later", async () => {
    const { engine, clock, loras } = bench({ maxRunning: 3 });
    const [a, b, base] = [request({ lora: "a" }), request({ lora: "b" }), request()];
    for (const { init } of [a, b, base]) engine.submit(init);
    expect(engine.ranks[0]).toMatchObject({ running: 2, waiting: 1, deferred: 1 });
    await clock.advance(20);
    const [seen] = [...loras.list()];
    expect(seen).toMatchObject({ running: "a", waiting: "b", seenAt: clock.now() });
    await clock.advance(2000);
    expect(b.ended).toBe("stop");
    expect([...loras.list()].map(({ running, waiting }) => `${running}|${waiting}`)).toEqual([
      "a|b",
      "b|",
      "|",
    ]);
  });

  it("goes to the least loaded rank, or the one asked for", () => {
    const { engine } = bench({}, { ranks: 2 });
    engine.submit(request().init);
    engine.submit(request().init);
    expect(engine.ranks.map(({ running }) => running)).toEqual([1, 1]);
    engine.submit(request().init, 1);
    expect(engine.ranks.map(({ running }) => running)).toEqual([1, 2]);
  });
});

describe("a full cache", () => {
  it("preempts the youngest, which is computed again and loses nothing", async () => {
    const { engine, clock, observed } = bench({ numBlocks: 14 });
    const [old, young] = [request({ outputTokens: 60 }), request({ outputTokens: 60 })];
    engine.submit(old.init);
    engine.submit(young.init);
    expect(engine.ranks[0]).toMatchObject({ running: 2, usedBlocks: 14 });
    await clock.advance(20_000);
    expect([old, young]).toMatchObject([
      { tokens: 60, ended: "stop" },
      { tokens: 60, ended: "stop" },
    ]);
    const totals = engine.ranks[0]?.totals;
    expect(totals?.preemptions).toBeGreaterThan(0);
    expect(totals?.promptTokens).toBe(200);
    expect(totals?.computedTokens).toBeGreaterThan(200);
    expect(observed.get("preemptions")?.[0]).toBe(0);
    expect(observed.get("preemptions")?.[1]).toBe(totals?.preemptions);
    expect(engine.ranks[0]?.usedBlocks).toBe(0);
  });
});

describe("ending early", () => {
  it("frees the place for the next, whether it ran or waited", async () => {
    const { engine, clock } = bench({ maxRunning: 1 });
    const [running, waiting, last] = [request(), request(), request()];
    const first = engine.submit(running.init);
    const second = engine.submit(waiting.init);
    engine.submit(last.init);
    second?.abort();
    expect(waiting.ended).toBe("abort");
    first?.abort();
    first?.abort();
    expect(engine.ranks[0]).toMatchObject({ running: 1, waiting: 0, usedBlocks: 7 });
    await clock.advance(2000);
    expect(last.ended).toBe("stop");
    expect(engine.ranks[0]?.totals).toMatchObject({ abort: 2, stop: 1 });
  });

  it("halting ends all with an error, and the timer", () => {
    const { engine, clock } = bench();
    const all = [request(), request(), request()];
    for (const { init } of all) engine.submit(init);
    engine.halt();
    expect(all.map(({ ended }) => ended)).toEqual(["error", "error", "error"]);
    expect(engine.submit(request().init)).toBeUndefined();
    expect(clock.pending).toBe(0);
    expect(engine.ranks[0]).toMatchObject({ running: 0, waiting: 0, usedBlocks: 0 });
  });
});
