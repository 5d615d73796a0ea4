import {
  attributeKey,
  definePlugin,
  MusterError,
  type Plugin,
  type PluginContext,
  type StandardSchema,
} from "@muster/core";
import { createRecordingLogger } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { manualDiscovery, queueExtractor, readingSource } from "../test/support/fleet.ts";
import { problemsOf, setUp } from "../test/support/runtime.ts";
import { createPluginHost } from "./registry/plugin-host.ts";
import { createRuntime } from "./runtime.ts";

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

describe("starting a runtime", () => {
  it("resolves when the first pass is complete and what it found was polled: values are there", async () => {
    const { fleet, start, stop } = setUp();
    expect([fleet.state, fleet.endpoints.size]).toEqual(["idle", 0]);
    await start();
    expect(fleet.state).toBe("running");
    const [fresh] = fleet.endpoints.list({ state: "fresh" });
    expect([fresh?.id, fresh?.metrics.waitingQueueSize]).toEqual(["default/a", 1]);
    await stop();
    expect(fleet.state).toBe("stopped");
  });

  it("waits 3 s at most for endpoints that do not answer", async () => {
    const { fleet, clock, stop } = setUp({
      sources: [{ source: readingSource(() => new Promise(() => undefined)) }],
    });
    const started = fleet.start();
    await clock.advance(2999);
    expect(fleet.state).toBe("starting");
    await clock.advance(1);
    await started;
    // its dispatch ignores the abort, so it cannot be stopped in time
    await expect(stop()).rejects.toMatchObject({ code: "STOP_TIMEOUT" });
  });

  it("reports every problem at once, and starts nothing", async () => {
    const discovery = manualDiscovery();
    const fleet = createRuntime({
      discovery: [discovery, manualDiscovery()],
      sources: [
        { source: readingSource(() => 1), extractors: [queueExtractor(), queueExtractor()] },
      ],
      interval: "often",
      freshness: { unreachableAfter: -1, staleAfter: "10ms" },
      startTimeout: "never",
    });
    const problems = await problemsOf(fleet.start());
    const found = problems.map(({ code, path }) => (path === undefined ? code : `${code} ${path}`));
    expect(found.sort()).toEqual([
      "CONFIG_INVALID freshness.staleAfter",
      "CONFIG_INVALID freshness.unreachableAfter",
      "CONFIG_INVALID interval",
      "CONFIG_INVALID startTimeout",
      "EXTRACTOR_DUPLICATE",
      "PLUGIN_DUPLICATE",
    ]);
    expect([discovery.starts, fleet.state]).toEqual([0, "stopped"]);
  });

  it("without sources and registrations is an error (section 4)", async () => {
    const problems = await problemsOf(createRuntime({}).start());
    expect(problems.map(({ code }) => code)).toEqual(["RUNTIME_EMPTY"]);
  });

  it("a discovery that fails before it is ready fails the start; all who fail are named", async () => {
    const [good, bad, worse] = ["good", "bad", "worse"].map((name) =>
      manualDiscovery(name, { ready: name === "good" }),
    );
    const discovery = [good, bad, worse].filter((it) => it !== undefined);
    const { fleet, clock } = setUp({ discovery });
    const problems = problemsOf(fleet.start());
    bad?.end(new Error("no such file"));
    await clock.advance(100);
    worse?.end(new Error("no such host"));
    await clock.advance(300);
    expect((await problems).map(({ message }) => message)).toEqual([
      "no such file",
      "no such host",
    ]);
    expect([fleet.state, clock.pending]).toEqual(["stopped", 0]);
    await expect(fleet.ready()).rejects.toMatchObject({ code: "START_FAILED" });
  });

  it("one that is not ready in time fails the start with START_TIMEOUT, naming it", async () => {
    const { fleet, clock } = setUp({ ready: false, startTimeout: "2s" });
    const problems = problemsOf(fleet.start());
    await clock.advance(2000);
    const [problem] = await problems;
    expect(problem?.code).toBe("START_TIMEOUT");
    expect(problem?.message).toMatch(/manual-discovery\/d.*2000 ms/);
    expect([fleet.state, clock.pending]).toEqual(["stopped", 0]);
  });

  it("can be aborted", async () => {
    const { fleet, clock } = setUp({ ready: false });
    const abort = new AbortController();
    const started = fleet.start({ signal: abort.signal });
    abort.abort("enough");
    await expect(started).rejects.toMatchObject({ code: "START_FAILED", cause: "enough" });
    expect([fleet.state, clock.pending]).toEqual(["stopped", 0]);
  });

  it("twice shares the first start; after a stop it is RUNTIME_STATE", async () => {
    const { fleet, discovery, start, stop } = setUp();
    const [first, second] = [fleet.start(), fleet.start()];
    expect(second).toBe(first);
    await start();
    await fleet.start();
    expect(discovery.starts).toBe(1);
    await stop();
    await expect(fleet.start()).rejects.toMatchObject({ code: "RUNTIME_STATE" });
  });

  it("logs the warnings of the wiring", async () => {
    const logger = createRecordingLogger();
    const { start, stop } = setUp({ logger, freshness: { staleAfter: "1.5s" } });
    await start();
    await stop();
    expect(logger.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  });
});

describe("readiness [llm-d-router#1988]", () => {
  it("is false until the first complete pass of every discovery, with the reason", async () => {
    const { fleet, clock, discovery, stop } = setUp({ ready: false });
    expect(fleet.status()).toEqual({
      state: "idle",
      ready: false,
      reasons: ["the runtime is not started"],
      discoveries: [{ plugin: "manual-discovery/d", state: "starting", endpoints: 0 }],
      watches: [],
    });
    const started = fleet.start();
    await clock.advance(10);
    expect(fleet.status().reasons).toEqual([
      "the runtime is starting",
      "discovery manual-discovery/d has not completed its first pass",
    ]);
    discovery.becomeReady();
    await fleet.ready();
    await clock.advance(100);
    await started;
    expect(fleet.status()).toMatchObject({ ready: true, reasons: [] });
    discovery.end(new Error("lost"));
    await clock.advance(0);
    expect(fleet.status()).toMatchObject({ ready: true, discoveries: [{ state: "degraded" }] });
    await stop();
    expect(fleet.status()).toMatchObject({ ready: false, discoveries: [{ state: "stopped" }] });
  });
});

describe("a source that is not up yet [dynamo#1699]", () => {
  it("does not fail the start: the fleet runs, and is ready once the first pass is complete", async () => {
    const { fleet, clock, discovery, start, stop } = setUp({ ready: false, startTimeout: "2s" });
    const started = start();
    discovery.notifier.degraded(new MusterError("DISCOVERY_READ", "connection refused"));
    await started;
    await clock.advance(5000);
    expect(fleet.status()).toMatchObject({
      state: "running",
      ready: false,
      reasons: [
        "discovery manual-discovery/d has not completed its first pass: DISCOVERY_READ: connection refused",
      ],
    });
    let ready = false;
    const becoming = fleet.ready().then(() => {
      ready = true;
    });
    await clock.advance(0);
    expect(ready).toBe(false);
    discovery.notifier.recovered();
    discovery.becomeReady();
    await becoming;
    expect(fleet.status()).toMatchObject({ ready: true, reasons: [] });
    await stop();
  });

  it("stopped before it ever was ready, ready is rejected", async () => {
    const { fleet, discovery, start, stop } = setUp({ ready: false });
    const started = start();
    discovery.notifier.degraded(new MusterError("DISCOVERY_READ", "connection refused"));
    await started;
    await stop();
    await expect(fleet.ready()).rejects.toMatchObject({ code: "RUNTIME_STATE" });
  });
});

describe("plugins and the runtime's endpoints", () => {
  it("a plugin sees the endpoints through its context, and writes what it declares", async () => {
    const note = attributeKey<string>("note");
    let context: PluginContext | undefined;
    const definition = definePlugin({
      kind: "generic",
      type: "noting-plugin",
      configSchema: anything,
      produces: [note],
      create(_config, given): Plugin {
        context = given;
        return { typedName: given.typedName };
      },
    });
    const host = createPluginHost();
    const plugin = host.create({ definition });
    const { fleet, start, stop } = setUp({ host, plugins: [plugin] });
    await start();
    expect(context?.endpoints.list().map(({ id }) => id)).toEqual(["default/a"]);
    context?.endpoints.writer("default/a")?.attributes.put(note, "seen");
    expect(fleet.endpoints.get("default/a")?.attributes.get(note)).toBe("seen");
    const other = attributeKey<string>("other");
    expect(() => context?.endpoints.writer("default/a")?.attributes.put(other, "x")).toThrow(
      expect.objectContaining({ code: "ATTRIBUTE_UNDECLARED" }),
    );
    await stop();
    expect(context?.signal.aborted).toBe(true);
    expect(() => context?.endpoints.writer("default/a")?.attributes.put(note, "late")).toThrow(
      expect.objectContaining({ code: "HANDLE_DEAD" }),
    );
  });
});
