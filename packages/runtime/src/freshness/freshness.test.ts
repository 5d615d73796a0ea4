import { MusterError } from "@muster/core";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { deferred, queueExtractor, readingSource } from "../../test/support/fleet.ts";

type Answer = "ok" | "down" | "no engine" | "hang";

/** One endpoint `a` whose server does what the test says; polled every second. */
function oneServer(options: { unreachableAfter?: number; staleAfter?: string } = {}) {
  const clock = createFakeClock();
  const server: { does: Answer } = { does: "ok" };
  const source = readingSource(() => {
    if (server.does === "hang") return new Promise<number>(() => undefined);
    if (server.does === "down") throw new MusterError("SCRAPE_STATUS", "status 500");
    return 1;
  });
  const extract = (): void => {
    if (server.does === "no engine") throw new MusterError("EXTRACT_NO_ENGINE", "no engine");
  };
  source.appendExtractor(queueExtractor({ extract }));
  const parts = collect({ clock, sources: [source], freshness: options });
  parts.put("a");
  const advance = async (ms: number, does?: Answer): Promise<void> => {
    if (does !== undefined) server.does = does;
    await clock.advance(ms);
  };
  return { ...parts, clock, advance, of: () => parts.view("a").freshness };
}

describe("design Freshness: the state of an endpoint", () => {
  it("is pending until it was polled", async () => {
    const { of, advance } = oneServer();
    expect(of()).toEqual({
      state: "pending",
      lastSuccess: undefined,
      lastFailure: undefined,
      errorCode: undefined,
      failures: 0,
    });
    await advance(10, "hang");
    expect(of().state).toBe("pending");
  });

  it("is fresh after a success, with its time", async () => {
    const { of, advance, clock } = oneServer();
    await advance(1);
    expect(of()).toMatchObject({ state: "fresh", lastSuccess: clock.now() - 1, failures: 0 });
  });

  it("is stale when the last success is older than 5 intervals, seen on read without any event", async () => {
    const { of, advance, clock } = oneServer();
    await advance(2900);
    const success = of().lastSuccess ?? 0;
    await advance(0, "hang");
    await advance(success + 5000 - clock.now());
    expect(of().state).toBe("fresh");
    await advance(1);
    expect(of()).toMatchObject({ state: "stale", lastSuccess: success });
  });

  it("is unreachable after 5 failed polls in a row, and fresh at the first success", async () => {
    const { of, advance } = oneServer();
    await advance(1500);
    await advance(4000, "down");
    expect(of()).toMatchObject({ state: "fresh", failures: 4, errorCode: "SCRAPE_STATUS" });
    await advance(1000);
    expect(of()).toMatchObject({ state: "unreachable", failures: 5 });
    await advance(1000, "ok");
    expect(of()).toMatchObject({ state: "fresh", failures: 0, errorCode: undefined });
    expect(of().lastFailure).toBeDefined();
  });

  it("counts failures in a row only", async () => {
    const { of, advance } = oneServer({ unreachableAfter: 2 });
    await advance(500);
    for (let round = 0; round < 3; round += 1) {
      await advance(1000, "down");
      expect(of()).toMatchObject({ state: "fresh", failures: 1 });
      await advance(1000, "ok");
    }
    await advance(2000, "down");
    expect(of().state).toBe("unreachable");
  });

  it("a poll that succeeded but whose extractor failed does not make fresh, nor is it a failed poll", async () => {
    const { of, advance } = oneServer();
    await advance(1500, "no engine");
    expect(of()).toMatchObject({
      state: "pending",
      failures: 0,
      errorCode: "EXTRACT_NO_ENGINE",
      lastSuccess: undefined,
    });
    await advance(10_000);
    expect(of()).toMatchObject({ state: "stale", failures: 0 });
    await advance(1000, "ok");
    expect(of()).toMatchObject({ state: "fresh", errorCode: undefined });
  });

  it("failed extraction ends a row of failed polls", async () => {
    const { of, advance } = oneServer();
    await advance(6000, "down");
    expect(of().state).toBe("unreachable");
    await advance(1000, "no engine");
    expect(of()).toMatchObject({ state: "stale", failures: 0, errorCode: "EXTRACT_NO_ENGINE" });
  });

  it("takes ages from the monotonic clock: a jump of the wall clock changes nothing", async () => {
    const { of, advance, clock } = oneServer();
    await advance(1500);
    clock.setNow(clock.now() + 86_400_000);
    expect(of().state).toBe("fresh");
    clock.setNow(0);
    await advance(6000, "hang");
    expect(of().state).toBe("stale");
  });

  it("is the same object until something changes", async () => {
    const { of, advance } = oneServer();
    await advance(1500);
    const before = of();
    expect(of()).toBe(before);
    await advance(1000);
    expect(of()).not.toBe(before);
    expect(Object.isFrozen(before)).toBe(true);
  });

  it("failures at an old address say nothing about a new one", async () => {
    const { of, advance, put } = oneServer();
    await advance(6000, "down");
    expect(of().state).toBe("unreachable");
    put("a", { port: 9000 });
    expect(of()).toMatchObject({ state: "stale", failures: 0 });
    await advance(10, "ok");
    expect(of().state).toBe("fresh");
  });

  it("the thresholds can be set", async () => {
    const { of, advance } = oneServer({ staleAfter: "2s" });
    await advance(10);
    await advance(2000, "hang");
    expect(of().state).toBe("stale");
  });

  it("readers can ask for fresh ones only", async () => {
    const { store, advance, put } = oneServer();
    await advance(1500);
    expect(store.endpoints.list({ state: "fresh" }).map(({ id }) => id)).toEqual(["default/a"]);
    await advance(6000, "hang");
    put("b");
    expect(store.endpoints.list({ state: "fresh" })).toEqual([]);
    expect(store.endpoints.list({ state: "stale" }).map(({ id }) => id)).toEqual(["default/a"]);
  });
});

describe("polling that is off for an endpoint [llama.cpp#20227]", () => {
  it("makes it unpolled: nothing asks it, from the start or from an update on", async () => {
    const clock = createFakeClock();
    const polled: string[] = [];
    const source = readingSource(({ id }) => polled.push(id));
    source.appendExtractor(queueExtractor());
    const { put, view } = collect({ clock, sources: [source], interval: 100 });
    put("off", { metrics: { enabled: false } });
    put("on");
    await clock.advance(250);
    expect(view("off").freshness.state).toBe("unpolled");
    expect(polled).not.toContain("default/off");
    put("on", { metrics: { enabled: false } });
    expect(view("on").freshness).toMatchObject({
      state: "unpolled",
      lastSuccess: clock.now() - 50,
    });
    const seen = polled.length;
    await clock.advance(1000);
    expect(polled).toHaveLength(seen);
    put("on");
    expect(view("on").freshness.state).toBe("pending");
    await clock.advance(100);
    expect(view("on").freshness.state).toBe("fresh");
  });

  it("an answer that was on its way when it was switched off is dropped", async () => {
    const clock = createFakeClock();
    const answer = deferred<number>();
    const source = readingSource(() => answer.promise);
    source.appendExtractor(queueExtractor());
    const { put, view } = collect({ clock, sources: [source] });
    put("a");
    await clock.advance(10);
    put("a", { metrics: { enabled: false } });
    answer.resolve(1);
    await clock.advance(10);
    expect(view("a").metrics.waitingQueueSize).toBeUndefined();
    expect(view("a").freshness.lastSuccess).toBeUndefined();
  });
});
