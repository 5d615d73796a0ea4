import { type EndpointDiscovery, MusterError } from "@muster/core";
import { createFakeClock, createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { manualDiscovery, meta } from "../../test/support/fleet.ts";
import { createEndpointStore } from "../store/endpoint-store.ts";
import { createInstruments } from "../telemetry/instruments.ts";
import { DiscoverySupervisor } from "./supervisor.ts";

const down = new MusterError("DISCOVERY_READ", "connection refused");
const forbidden = new MusterError("acme/FORBIDDEN", "forbidden");

function supervise(discovery: EndpointDiscovery) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const store = createEndpointStore({ clock });
  const supervisor = new DiscoverySupervisor(discovery, {
    ...{ clock, logger, instruments: createInstruments(meter) },
    store: store.owner(discovery.typedName),
  });
  const shown = () => [supervisor.status.state, supervisor.status.error?.code];
  const marked = (): boolean[] => store.endpoints.list().map(({ degraded }) => degraded);
  const logged = (): string[] =>
    logger.lines.filter(({ level }) => level !== "debug").map(({ message }) => message);
  const outages = (): number | undefined => meter.value("muster_datalayer_discovery_outages_total");
  return { clock, supervisor, shown, marked, logged, outages };
}

function waiting() {
  const discovery = manualDiscovery("d", {
    ready: false,
    first: (notifier) => notifier.degraded(down),
  });
  return { discovery, ...supervise(discovery) };
}

function running() {
  const discovery = manualDiscovery("d", { first: (notifier) => notifier.upsert(meta("a")) });
  return { discovery, ...supervise(discovery) };
}

describe("a discovery that has to wait for its source (ADR 0004)", () => {
  it("lets the start go on, and says why it is not ready", async () => {
    const { discovery, supervisor, shown, logged, clock } = waiting();
    await supervisor.start();
    expect(shown()).toEqual(["starting", "DISCOVERY_READ"]);
    let passed = false;
    void supervisor.firstPass.then(() => {
      passed = true;
    });
    await clock.advance(3_600_000);
    expect([passed, discovery.starts]).toEqual([false, 1]);
    discovery.notifier.recovered();
    expect(shown()).toEqual(["starting", undefined]);
    discovery.notifier.upsert(meta("a"));
    discovery.becomeReady();
    await supervisor.firstPass;
    expect(shown()).toEqual(["running", undefined]);
    expect(logged()).toEqual([
      "discovery waits for its source",
      "discovery has its source again",
      "discovery is ready",
    ]);
    await supervisor.stop();
  });

  it("is restarted when it fails after all", async () => {
    const { discovery, supervisor, shown, logged, clock } = waiting();
    await supervisor.start();
    discovery.end(forbidden);
    await clock.advance(0);
    expect(shown()).toEqual(["starting", "acme/FORBIDDEN"]);
    await clock.advance(500);
    expect([discovery.starts, ...shown()]).toEqual([2, "starting", "DISCOVERY_READ"]);
    discovery.notifier.recovered();
    discovery.becomeReady();
    await supervisor.firstPass;
    expect(shown()).toEqual(["running", undefined]);
    expect(logged()[1]).toMatch(/discovery failed; .* restarted/);
    await supervisor.stop();
  });

  it("may be stopped while it waits", async () => {
    const { discovery, supervisor, clock } = waiting();
    await supervisor.start();
    await supervisor.stop();
    discovery.notifier.recovered();
    expect([supervisor.status.state, clock.pending]).toEqual(["stopped", 0]);
  });
});

describe("a discovery that loses its source later (ADR 0004)", () => {
  it("keeps its endpoints, marked degraded, until it has recovered", async () => {
    const { discovery, supervisor, shown, marked, logged, outages } = running();
    await supervisor.start();
    discovery.notifier.degraded(down);
    expect([...shown(), ...marked()]).toEqual(["degraded", "DISCOVERY_READ", true]);
    discovery.notifier.upsert(meta("b"));
    expect(marked()).toEqual([true, true]);
    discovery.notifier.recovered();
    expect([...shown(), ...marked()]).toEqual(["running", undefined, false, false]);
    expect(logged().slice(1)).toEqual([
      "discovery has lost its source; its endpoints are kept",
      "discovery has its source again",
    ]);
    expect(outages()).toBe(1);
    await supervisor.stop();
  });

  it("is logged when the reason changes and counted once, however often it says so", async () => {
    const { discovery, supervisor, shown, logged, outages } = running();
    await supervisor.start();
    for (const reason of [down, down, forbidden, down]) discovery.notifier.degraded(reason);
    expect(logged().slice(1)).toHaveLength(3);
    expect([shown()[1], outages()]).toEqual(["DISCOVERY_READ", 1]);
    discovery.notifier.recovered();
    discovery.notifier.recovered();
    discovery.notifier.degraded(down);
    expect([logged().slice(1).length, outages()]).toEqual([5, 2]);
    await supervisor.stop();
  });

  it("a word of trouble before the pass holds after it, until it is taken back", async () => {
    const { discovery, supervisor, shown, marked } = waiting();
    await supervisor.start();
    discovery.notifier.upsert(meta("a"));
    discovery.becomeReady();
    await supervisor.firstPass;
    expect([...shown(), ...marked()]).toEqual(["degraded", "DISCOVERY_READ", true]);
    discovery.notifier.recovered();
    expect([...shown(), ...marked()]).toEqual(["running", undefined, false]);
    await supervisor.stop();
  });

  it("restarted, it stays degraded until its new pass is complete, whatever it says", async () => {
    const { discovery, supervisor, shown, marked, clock } = running();
    await supervisor.start();
    const { notifier: old } = discovery;
    old.degraded(down);
    discovery.end(forbidden);
    await clock.advance(0);
    expect(shown()).toEqual(["degraded", "acme/FORBIDDEN"]);
    old.recovered();
    expect(marked()).toEqual([true]);
    await clock.advance(500);
    expect([discovery.starts, ...shown(), ...marked()]).toEqual([2, "running", undefined, false]);
    await supervisor.stop();
  });

  it("takes anything for a reason", async () => {
    const { discovery, supervisor, shown } = running();
    await supervisor.start();
    discovery.notifier.degraded(new Error("foreign") as MusterError);
    expect(shown()).toEqual(["degraded", "DISCOVERY_FAILED"]);
    await supervisor.stop();
  });
});
