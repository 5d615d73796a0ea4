import { type EndpointDiscovery, type Plugin, typedName } from "@muster/core";
import { createRecordingLogger } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { brief, readFeed } from "../test/support/feed.ts";
import { deferred, manualDiscovery, queueExtractor, readingSource } from "../test/support/fleet.ts";
import { setUp } from "../test/support/runtime.ts";
import { createRuntime } from "./runtime.ts";

describe("stopping a runtime", () => {
  it("may be done in any state and any number of times", async () => {
    const idle = createRuntime({});
    await Promise.all([idle.stop(), idle.stop(), idle[Symbol.asyncDispose]()]);
    expect(idle.state).toBe("stopped");
    await expect(idle.ready()).rejects.toMatchObject({ code: "RUNTIME_STATE" });
    const { fleet, clock, start } = setUp();
    await start();
    await Promise.all([fleet.stop(), fleet.stop()]);
    await fleet.stop();
    expect([fleet.state, clock.pending]).toEqual(["stopped", 0]);
  });

  it("while starting aborts the start", async () => {
    const { fleet, clock } = setUp({ ready: false });
    const started = fleet.start();
    await Promise.all([
      expect(started).rejects.toMatchObject({ code: "START_FAILED" }),
      fleet.stop(),
    ]);
    expect([fleet.state, clock.pending]).toEqual(["stopped", 0]);
  });

  it("while a failed start rolls back waits for that, and stops no plugin twice", async () => {
    const gate = deferred<void>();
    let stops = 0;
    const stop = (): Promise<void> => {
      stops += 1;
      return gate.promise;
    };
    const fleet = createRuntime({ plugins: [{ typedName: typedName("slow"), stop }] });
    const started = fleet.start();
    const stopped = fleet.stop();
    await Promise.resolve();
    expect(fleet.state).toBe("stopping");
    gate.resolve();
    await expect(started).rejects.toMatchObject({ code: "START_FAILED" });
    await stopped;
    expect([fleet.state, stops]).toEqual(["stopped", 1]);
  });

  it("ends feeds, keeps what was seen readable, and lets it turn stale", async () => {
    const { fleet, clock, start, stop } = setUp();
    await start();
    const feed = readFeed(fleet.endpoints.changes());
    await feed.next();
    const next = feed.next();
    await stop();
    expect(brief(await next)).toBe("end");
    expect(fleet.endpoints.get("default/a")?.metrics.waitingQueueSize).toBe(1);
    await clock.advance(5000);
    expect(fleet.endpoints.list({ state: "fresh" })).toEqual([]);
  });

  it("waits for dispatches in flight, and nothing writes afterwards", async () => {
    const answer = deferred<number>();
    let polls = 0;
    const source = readingSource(() => (++polls === 1 ? 1 : answer.promise));
    const { fleet, clock, start } = setUp({
      sources: [{ source, extractors: [queueExtractor()] }],
    });
    await start();
    await clock.advance(1000);
    expect(polls).toBe(2);
    let stopped = false;
    const stopping = fleet.stop().then(() => {
      stopped = true;
    });
    await clock.advance(10);
    expect([fleet.state, stopped]).toEqual(["stopping", false]);
    answer.resolve(99);
    await stopping;
    await clock.advance(1000);
    expect(fleet.endpoints.get("default/a")?.metrics.waitingQueueSize).toBe(1);
  });

  it("stops plugins in the reverse order of who uses whom, each once", async () => {
    const stopped: string[] = [];
    const stopping = <P extends Plugin>(plugin: P): P =>
      Object.assign(plugin, { stop: () => void stopped.push(plugin.typedName.type) });
    const { start, stop } = setUp({
      discovery: [stopping(manualDiscovery())],
      sources: [
        {
          source: stopping(readingSource(() => 1)),
          extractors: [stopping(queueExtractor())],
        },
      ],
      plugins: [stopping({ typedName: typedName("helper") })],
    });
    await start();
    await stop();
    expect(stopped).toEqual(["manual-discovery", "reading-source", "queue-extractor", "helper"]);
  });

  it("a plugin that fails to stop is logged, one that hangs is named; the others are stopped", async () => {
    const stopped: string[] = [];
    const logger = createRecordingLogger();
    const plugin = (name: string, stop: () => void | Promise<void>): Plugin => ({
      ...{ typedName: typedName(name), stop },
    });
    const { fleet, clock, start, stop } = setUp({
      logger,
      stopTimeout: "1s",
      plugins: [
        plugin("fails", () => {
          throw new Error("boom");
        }),
        plugin("hangs", () => new Promise(() => undefined)),
        plugin("fine", () => void stopped.push("fine")),
      ],
    });
    await start();
    await expect(stop()).rejects.toMatchObject({
      code: "STOP_TIMEOUT",
      message: "did not stop in time: plugin hangs/hangs",
    });
    expect([stopped, fleet.state, clock.pending]).toEqual([["fine"], "stopped", 0]);
    expect(logger.lines.some(({ fields }) => fields.error === "boom")).toBe(true);
  });

  it("a discovery that ignores the abort does not keep the rest from stopping", async () => {
    const deaf: EndpointDiscovery = {
      typedName: typedName("deaf"),
      start: () => new Promise(() => undefined),
      ready: () => Promise.resolve(),
    };
    const { fleet, start, stop } = setUp({ discovery: [deaf] });
    await start();
    await expect(stop()).rejects.toThrow(/discovery deaf\/deaf/);
    expect(fleet.state).toBe("stopped");
  });
});
