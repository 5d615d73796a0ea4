import {
  attributeKey,
  type EndpointEvent,
  type EndpointExtractor,
  type EndpointSource,
  MusterError,
  namespacedName,
  typedName,
} from "@muster/core";
import { createFakeClock, createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { type Deferred, deferred, meta } from "../../test/support/fleet.ts";
import { createStoreParts } from "../store/endpoint-store.ts";
import { createInstruments } from "../telemetry/instruments.ts";
import { EndpointEvents } from "./endpoint-events.ts";
import { endpointNotificationSource } from "./endpoint-notification-source.ts";
import { EventRunner } from "./event-runner.ts";

type Extract = (event: EndpointEvent) => void | Promise<void>;

function extractor(name: string, extract: Extract): EndpointExtractor {
  return { typedName: typedName(name), variant: "endpoint", extract };
}

function wired(
  extractors: readonly EndpointExtractor[],
  source: EndpointSource = endpointNotificationSource.create(),
) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const parts = createStoreParts({ clock, metrics: meter });
  const runner = new EventRunner({ clock, logger, instruments: createInstruments(meter) });
  const members = extractors.map((it) => ({
    ...{ extractor: it, origin: "configured" as const, owner: it.typedName },
  }));
  const events = new EndpointEvents(
    [{ source, origin: "configured", extractors: members }],
    runner,
  );
  parts.records.listen(events);
  const owner = parts.store.owner(typedName("d"));
  return {
    ...{ clock, logger, meter, events, store: parts.store },
    put: (name: string, port = 1): void => owner.endpointUpsert(meta(name, { port })),
    drop: (name: string): void => owner.endpointDelete(namespacedName("default", name)),
  };
}

const told = ({ type, endpoint }: EndpointEvent): string =>
  `${type} ${endpoint.id.replace("default/", "")}:${endpoint.metadata.port}`;

describe("section 5: endpoint events", () => {
  it("a new endpoint and a changed one dispatch AddOrUpdate, an equal one nothing, a removed one Delete", async () => {
    const seen: string[] = [];
    const { put, drop, clock } = wired([extractor("x", (event) => void seen.push(told(event)))]);
    for (const port of [1, 1, 2]) {
      put("a", port);
      await clock.advance(0);
    }
    drop("a");
    await clock.advance(0);
    expect(seen).toEqual(["AddOrUpdate a:1", "AddOrUpdate a:2", "Delete a:2"]);
  });

  it("those of one endpoint run in order, one after the other; of others side by side", async () => {
    const seen: string[] = [];
    const gate = deferred<void>();
    const slow = extractor("slow", async (event) => {
      seen.push(`begin ${told(event)}`);
      if (event.endpoint.id === "default/a") await gate.promise;
      seen.push(`end ${told(event)}`);
    });
    const { put, drop, clock } = wired([slow]);
    put("a");
    await clock.advance(0);
    drop("a");
    put("a", 2);
    put("b");
    await clock.advance(0);
    expect(seen).toEqual(["begin AddOrUpdate a:1", "begin AddOrUpdate b:1", "end AddOrUpdate b:1"]);
    gate.resolve();
    await clock.advance(0);
    expect(seen.slice(3)).toEqual([
      "end AddOrUpdate a:1",
      "begin Delete a:1",
      "end Delete a:1",
      "begin AddOrUpdate a:2",
      "end AddOrUpdate a:2",
    ]);
  });

  it("never pile up: updates that wait are one, and what came and went unseen is dropped", async () => {
    const seen: string[] = [];
    const gate = deferred<void>();
    const slow = extractor("slow", async (event) => {
      seen.push(told(event));
      await gate.promise;
    });
    const { put, drop, clock } = wired([slow]);
    put("a", 1);
    await clock.advance(0);
    for (let round = 0; round < 100; round += 1) {
      drop("a");
      put("a", 10 + round);
      put("a", 20 + round);
    }
    gate.resolve();
    await clock.advance(0);
    expect(seen).toEqual(["AddOrUpdate a:1", "Delete a:1", "AddOrUpdate a:119"]);
  });

  it("run after the change, never within it", async () => {
    const seen: string[] = [];
    const { put, clock, store } = wired([
      extractor("x", () => void seen.push(store.endpoints.revision)),
    ]);
    put("a");
    expect(seen).toEqual([]);
    await clock.advance(0);
    expect(seen).toEqual([store.endpoints.revision]);
  });
});

describe("section 3: endpoint sources and their extractors", () => {
  const note = attributeKey<string>("note");

  it("a source may give the event, another one, or nothing to skip the extractors", async () => {
    const seen: string[] = [];
    const source: EndpointSource = {
      typedName: typedName("picky"),
      variant: "endpoint",
      notifyEndpoint(event) {
        if (event.endpoint.id === "default/skip") return undefined;
        if (event.endpoint.id === "default/late") return Promise.resolve(event);
        return { ...event, type: "Delete" };
      },
    };
    const { put, clock } = wired([extractor("x", (event) => void seen.push(told(event)))], source);
    for (const name of ["a", "skip", "late"]) put(name);
    await clock.advance(0);
    expect(seen.sort()).toEqual(["AddOrUpdate late:1", "Delete a:1"]);
  });

  it("a failing or throwing extractor is counted and stops neither its siblings nor the next event", async () => {
    const seen: string[] = [];
    const bad = extractor("bad", () => {
      throw new MusterError("EXTRACT_MISSING", "nothing there");
    });
    const { put, clock, meter, logger } = wired([
      bad,
      extractor("x", (e) => void seen.push(told(e))),
    ]);
    put("a", 1);
    await clock.advance(0);
    put("a", 2);
    await clock.advance(0);
    expect(seen).toEqual(["AddOrUpdate a:1", "AddOrUpdate a:2"]);
    const labels = { source_type: "endpoint-notification-source", extractor_type: "bad" };
    expect(meter.value("muster_datalayer_extract_errors_total", labels)).toBe(2);
    expect(logger.lines[0]?.fields).toMatchObject({
      code: "EXTRACT_MISSING",
      subject: "default/a",
    });
  });

  it("each step has its own time-out of 1 s; one that took too long writes no more", async () => {
    const gates: Deferred<void>[] = [];
    const late = extractor("late", async ({ endpoint }) => {
      const gate = deferred<void>();
      gates.push(gate);
      await gate.promise;
      endpoint.attributes.put(note, "late");
    });
    const seen: string[] = [];
    const { put, clock, meter, store } = wired([
      late,
      extractor("x", (e) => void seen.push(told(e))),
    ]);
    put("a");
    await clock.advance(999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toEqual(["AddOrUpdate a:1"]);
    gates[0]?.resolve();
    await clock.advance(0);
    expect(store.endpoints.get("default/a")?.attributes.get(note)).toBeUndefined();
    expect(meter.value("muster_datalayer_extract_errors_total")).toBe(1);
  });

  it("a source that fails or hangs is counted, and its extractors are not run", async () => {
    const source: EndpointSource = {
      typedName: typedName("broken"),
      variant: "endpoint",
      notifyEndpoint({ endpoint }) {
        if (endpoint.id === "default/hang") return new Promise(() => undefined);
        throw new Error("boom");
      },
    };
    const { put, clock, meter } = wired([extractor("x", () => expect.unreachable())], source);
    put("a");
    put("hang");
    await clock.advance(1000);
    expect(meter.value("muster_datalayer_notify_errors_total", { source_type: "broken" })).toBe(2);
  });

  it("writes show in a new revision; after a Delete the handle reads and does not write", async () => {
    const outcome: unknown[] = [];
    const writes = extractor("w", ({ type, endpoint }) => {
      try {
        endpoint.attributes.put(note, type);
      } catch (error) {
        outcome.push((error as MusterError).code, endpoint.attributes.get(note));
      }
    });
    const { put, drop, clock, store } = wired([writes]);
    put("a");
    const before = store.endpoints.revision;
    await clock.advance(0);
    expect(store.endpoints.get("default/a")?.attributes.get(note)).toBe("AddOrUpdate");
    expect(store.endpoints.revision).not.toBe(before);
    drop("a");
    await clock.advance(0);
    expect(outcome).toEqual(["HANDLE_DEAD", "AddOrUpdate"]);
  });

  it("are released after a Delete, a failing release only logged", async () => {
    const released: string[] = [];
    const keeps = extractor("keeps", () => undefined);
    const breaks = extractor("breaks", () => undefined);
    keeps.release = (id) => void released.push(id);
    breaks.release = () => {
      throw new Error("boom");
    };
    const { put, drop, clock, logger } = wired([breaks, keeps]);
    put("a");
    await clock.advance(0);
    drop("a");
    await clock.advance(0);
    expect(released).toEqual(["default/a"]);
    expect(logger.lines.map(({ level }) => level)).toEqual(["error"]);
  });

  it("many at once do not make Node warn of a leak of listeners", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const { put, clock, events } = wired([extractor("x", () => new Promise(() => undefined))]);
    for (let index = 0; index < 50; index += 1) put(`e${index}`);
    await clock.advance(0);
    await events.stop();
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });

  it("stop drops what waits and cuts short what runs, counting no failure", async () => {
    const seen: string[] = [];
    const hangs = extractor("hangs", (event) => {
      seen.push(told(event));
      return new Promise<void>(() => undefined);
    });
    const { put, clock, events, meter } = wired([hangs]);
    put("a", 1);
    await clock.advance(0);
    put("a", 2);
    await events.stop();
    put("b");
    await clock.advance(0);
    expect(seen).toEqual(["AddOrUpdate a:1"]);
    expect(meter.value("muster_datalayer_extract_errors_total")).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});
