import {
  type DiscoveryNotifier,
  type EndpointDiscovery,
  MusterError,
  typedName,
} from "@muster/core";
import { createFakeClock, createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { type ManualDiscovery, manualDiscovery, meta } from "../../test/support/fleet.ts";
import { createEndpointStore } from "../store/endpoint-store.ts";
import { createInstruments } from "../telemetry/instruments.ts";
import { DiscoverySupervisor } from "./supervisor.ts";

function supervise(discovery: EndpointDiscovery) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const store = createEndpointStore({ clock });
  const instruments = createInstruments(meter);
  const supervisor = new DiscoverySupervisor(discovery, {
    ...{ clock, logger, instruments, store: store.owner(discovery.typedName) },
  });
  const ids = (): string[] => store.endpoints.list().map(({ id }) => id.replace("default/", ""));
  return { clock, logger, meter, store, supervisor, ids };
}

const down = new MusterError("DISCOVERY_READ", "the store went away");

describe("section 5: a discovery plugin", () => {
  it("is started once its notifier is there, and ready after its first complete pass", async () => {
    const discovery = manualDiscovery("d", { ready: false });
    const { clock, supervisor, ids } = supervise(discovery);
    let started = false;
    const start = supervisor.start().then(() => {
      started = true;
    });
    discovery.notifier.upsert(meta("a"));
    await clock.advance(60_000);
    expect([started, supervisor.status.state, ids()]).toEqual([false, "starting", ["a"]]);
    discovery.becomeReady();
    await start;
    expect(supervisor.status).toEqual({
      plugin: "manual-discovery/d",
      state: "running",
      endpoints: 1,
    });
  });

  it("zero endpoints are a complete pass too", async () => {
    const { supervisor, ids } = supervise(manualDiscovery());
    await supervisor.start();
    expect(ids()).toEqual([]);
  });

  it.each<[string, (discovery: ManualDiscovery) => void, string]>([
    ["rejects", (discovery) => discovery.end(down), "DISCOVERY_READ"],
    ["throws anything", (discovery) => discovery.end("boom"), "DISCOVERY_FAILED"],
    ["ends by itself", (discovery) => discovery.end(), "DISCOVERY_FAILED"],
  ])("that %s before it is ready fails the start", async (_how, fail, code) => {
    const discovery = manualDiscovery("d", { ready: false });
    const { supervisor } = supervise(discovery);
    const start = supervisor.start();
    fail(discovery);
    await expect(start).rejects.toMatchObject({ code });
    await supervisor.stop();
  });

  it("that throws at once, or whose ready rejects, fails the start", async () => {
    const plain = { typedName: typedName("d"), ready: (): Promise<void> => Promise.reject(down) };
    const throwing = (): never => {
      throw down;
    };
    const hanging = (_: DiscoveryNotifier, { signal }: { signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    for (const start of [throwing, hanging]) {
      const { supervisor } = supervise({ ...plain, start });
      await expect(supervisor.start()).rejects.toBe(down);
      await supervisor.stop();
    }
  });

  it("reports made after the abort are ignored and counted", async () => {
    const discovery = manualDiscovery();
    const { supervisor, ids, meter } = supervise(discovery);
    await supervisor.start();
    const { notifier } = discovery;
    await supervisor.stop();
    notifier.upsert(meta("late"));
    expect(ids()).toEqual([]);
    expect(meter.value("muster_datalayer_discovery_ignored_calls_total")).toBe(1);
  });

  it("stop aborts it, waits for its end, and may be called at any time and twice", async () => {
    const discovery = manualDiscovery("d", { ready: false });
    const { supervisor, clock } = supervise(discovery);
    const start = supervisor.start();
    await Promise.all([supervisor.stop(), supervisor.stop(), start]);
    expect(supervisor.status.state).toBe("stopped");
    expect(clock.pending).toBe(0);
  });
});

describe("design Discovery: a failure after it was ready", () => {
  it("restarts it; its endpoints are kept and marked degraded meanwhile", async () => {
    const discovery = manualDiscovery("d", { first: (notifier) => notifier.upsert(meta("a")) });
    const { supervisor, store, clock, ids } = supervise(discovery);
    await supervisor.start();
    discovery.end(down);
    await clock.advance(0);
    expect(supervisor.status).toMatchObject({
      state: "degraded",
      error: { code: "DISCOVERY_READ", message: "the store went away" },
      endpoints: 1,
    });
    expect(store.endpoints.get("default/a")?.degraded).toBe(true);
    await clock.advance(500);
    expect([discovery.starts, ids(), supervisor.status.state]).toEqual([2, ["a"], "running"]);
    expect(store.endpoints.get("default/a")?.degraded).toBe(false);
  });

  it("endpoints not reported again by the new first pass are deleted when that is complete", async () => {
    const discovery = manualDiscovery("d", { ready: false });
    const { supervisor, clock, ids } = supervise(discovery);
    const start = supervisor.start();
    for (const name of ["a", "b"]) discovery.notifier.upsert(meta(name));
    discovery.becomeReady();
    await start;
    discovery.end(down);
    await clock.advance(1000);
    discovery.notifier.upsert(meta("b"));
    discovery.notifier.upsert(meta("c"));
    expect([ids(), supervisor.status.state]).toEqual([["a", "b", "c"], "degraded"]);
    discovery.becomeReady();
    await clock.advance(0);
    expect([ids(), supervisor.status.state]).toEqual([["b", "c"], "running"]);
  });

  it("what the failed start still reports is ignored", async () => {
    const discovery = manualDiscovery();
    const { supervisor, clock, ids } = supervise(discovery);
    await supervisor.start();
    const old = discovery.notifier;
    discovery.end(down);
    await clock.advance(1000);
    old.upsert(meta("late"));
    discovery.notifier.upsert(meta("new"));
    expect(ids()).toEqual(["new"]);
  });

  it("ending without having been stopped counts as a failure", async () => {
    const discovery = manualDiscovery();
    const { supervisor, clock, logger } = supervise(discovery);
    await supervisor.start();
    discovery.end();
    await clock.advance(0);
    expect(supervisor.status.error?.message).toMatch(/ended although nobody stopped it/);
    await clock.advance(1000);
    expect([discovery.starts, supervisor.status.state]).toEqual([2, "running"]);
    expect(logger.lines.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  it("is retried with jittered, capped back-off, which begins anew once it ran for long", async () => {
    const at: number[] = [];
    const discovery = manualDiscovery("d", { ready: false });
    const { supervisor, clock, meter, logger } = supervise(discovery);
    const start = supervisor.start();
    discovery.becomeReady();
    await start;
    discovery.end(down);
    for (let seen = discovery.starts; at.length < 14; ) {
      await clock.advance(50);
      if (discovery.starts === seen) continue;
      seen = discovery.starts;
      at.push(clock.monotonic());
      discovery.end(down);
    }
    await clock.advance(0);
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(gaps[0]).toBeLessThanOrEqual(1050);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30_050);
    expect(Math.min(...gaps.slice(8))).toBeGreaterThanOrEqual(15_000);
    expect(new Set(gaps.slice(8)).size).toBeGreaterThan(1);
    expect(meter.value("muster_datalayer_discovery_failures_total")).toBe(15);
    expect(logger.lines.filter(({ level }) => level === "error")).toHaveLength(1);
    await clock.advance(31_000);
    discovery.becomeReady();
    await clock.advance(31_000);
    const { starts } = discovery;
    discovery.end(down);
    await clock.advance(550);
    expect(discovery.starts).toBe(starts + 1);
  });

  it("stopping while it waits to restart ends the wait", async () => {
    const discovery = manualDiscovery();
    const { supervisor, clock } = supervise(discovery);
    await supervisor.start();
    discovery.end(down);
    await clock.advance(0);
    expect(clock.pending).toBe(1);
    await supervisor.stop();
    expect([clock.pending, discovery.starts]).toEqual([0, 1]);
  });
});
