import {
  type GroupVersionKind,
  MusterError,
  type NotificationEvent,
  type NotificationExtractor,
  type NotificationSource,
  type ObjectWatcher,
  typedName,
} from "@muster/core";
import { createFakeClock, createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { type Deferred, deferred } from "../../test/support/fleet.ts";
import { createInstruments } from "../telemetry/instruments.ts";
import { EventRunner } from "./event-runner.ts";
import { NotificationWatch } from "./notification-watch.ts";

const pods: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };

function event(name: string, type: NotificationEvent["type"] = "AddOrUpdate"): NotificationEvent {
  return Object.freeze({ type, object: { kind: "Pod", metadata: { name, namespace: "n" } } });
}

/** A watcher whose watches the test feeds; each `watch` takes the next script. */
function scripted(...scripts: (() => AsyncIterable<NotificationEvent>)[]) {
  const opened: string[] = [];
  const watcher: ObjectWatcher = {
    typedName: typedName("scripted-watcher"),
    watch(gvk, { signal }) {
      opened.push(gvk.kind);
      return scripts.shift()?.() ?? quiet(signal);
    },
  };
  return { opened, watcher };
}

async function* quiet(signal: AbortSignal): AsyncGenerator<NotificationEvent> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function* of(...events: NotificationEvent[]): AsyncGenerator<NotificationEvent> {
  yield* events;
}

async function* failing(...events: NotificationEvent[]): AsyncGenerator<NotificationEvent> {
  yield* events;
  throw new Error("410 gone");
}

function watching(
  watcher: ObjectWatcher,
  options: Partial<NotificationSource> & {
    extract?: NotificationExtractor["extract"];
  } = {},
) {
  const { extract = () => undefined, ...given } = options;
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const stopping = new AbortController();
  const { signal } = stopping;
  const instruments = createInstruments(meter);
  const runner = new EventRunner({ clock, logger, instruments });
  const source: NotificationSource = {
    ...{ typedName: typedName("pods"), variant: "notification", gvk: pods },
    notify: (it) => it,
    ...given,
  };
  const extractor: NotificationExtractor = {
    ...{ typedName: typedName("x"), variant: "notification", gvk: pods },
    extract,
  };
  const wired = { extractor, origin: "configured" as const, owner: extractor.typedName };
  const parts = { watcher, runner, clock, logger, instruments, signal };
  const watch = new NotificationWatch(source, [wired], parts);
  return { clock, logger, meter, stopping, watch, done: watch.run() };
}

const told = ({ type, object }: NotificationEvent): string => `${type} ${object.metadata?.name}`;

describe("section 3: notification events", () => {
  it("the runtime owns the watch and hands each object on, the very same to all", async () => {
    const objects = [event("a"), event("b"), event("a", "Delete")];
    const seen: NotificationEvent[] = [];
    const { watcher, opened } = scripted(() => of(...objects));
    const { clock, stopping, done } = watching(watcher, { extract: (it) => void seen.push(it) });
    await clock.advance(0);
    expect(seen.map(told)).toEqual(["AddOrUpdate a", "AddOrUpdate b", "Delete a"]);
    expect(seen[0]).toBe(objects[0]);
    expect(opened).toEqual(["Pod"]);
    stopping.abort();
    await done;
  });

  it("updates whose resourceVersion did not change are not delivered, nor listed again", async () => {
    const pod = (name: string, resourceVersion: string): NotificationEvent => ({
      type: "AddOrUpdate",
      object: { kind: "Pod", metadata: { name, namespace: "n", resourceVersion } },
    });
    const seen: string[] = [];
    const { watcher } = scripted(
      () => of(pod("a", "1"), pod("a", "1"), pod("b", "1"), pod("a", "2")),
      () => of(pod("a", "2"), pod("b", "3"), event("b", "Delete"), pod("b", "3")),
    );
    const { clock, stopping, done } = watching(watcher, {
      extract: (it) => void seen.push(`${told(it)} ${it.object.metadata?.resourceVersion}`),
    });
    await clock.advance(1000);
    expect(seen).toEqual([
      ...["AddOrUpdate a 1", "AddOrUpdate b 1", "AddOrUpdate a 2"],
      ...["AddOrUpdate b 3", "Delete b undefined", "AddOrUpdate b 3"],
    ]);
    stopping.abort();
    await done;
  });

  it("on delete the object has only kind, name and namespace", async () => {
    const metadata = { name: "a", namespace: "n", uid: "u", resourceVersion: "9" };
    const whole: NotificationEvent = { type: "Delete", object: { metadata, spec: { x: 1 } } };
    const seen: NotificationEvent[] = [];
    const { watcher } = scripted(() => of(whole));
    const { clock, stopping, done } = watching(watcher, { extract: (it) => void seen.push(it) });
    await clock.advance(0);
    const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "n" } };
    expect(seen).toEqual([{ type: "Delete", object }]);
    stopping.abort();
    await done;
  });

  it("notify may give another event, or nothing to skip the extractors", async () => {
    const seen: string[] = [];
    const { watcher } = scripted(() => of(event("a"), event("skip"), event("b")));
    const { clock, stopping, done } = watching(watcher, {
      notify: (it) => (it.object.metadata?.name === "skip" ? undefined : { ...it, type: "Delete" }),
      extract: (it) => void seen.push(told(it)),
    });
    await clock.advance(0);
    expect(seen).toEqual(["Delete a", "Delete b"]);
    stopping.abort();
    await done;
  });

  it("one at a time and in order; an extractor that hangs is timed out and counted", async () => {
    const seen: string[] = [];
    const gates: Deferred<void>[] = [];
    const { watcher } = scripted(() => of(event("a"), event("b")));
    const { clock, stopping, done, meter } = watching(watcher, {
      extract(it) {
        seen.push(told(it));
        const gate = deferred<void>();
        gates.push(gate);
        return gate.promise;
      },
    });
    await clock.advance(500);
    expect(seen).toEqual(["AddOrUpdate a"]);
    await clock.advance(500);
    expect(seen).toEqual(["AddOrUpdate a", "AddOrUpdate b"]);
    expect(
      meter.value("muster_datalayer_extract_errors_total", {
        source_type: "pods",
        extractor_type: "x",
      }),
    ).toBe(1);
    stopping.abort();
    await done;
    expect(clock.pending).toBe(0);
  });

  it("a failing extractor does not end the watch", async () => {
    let runs = 0;
    const { watcher, opened } = scripted(() => of(event("a"), event("b")));
    const { clock, stopping, done } = watching(watcher, {
      extract() {
        runs += 1;
        throw new Error("boom");
      },
    });
    await clock.advance(0);
    expect([runs, opened]).toEqual([2, ["Pod"]]);
    stopping.abort();
    await done;
  });
});

describe("a watch that ends or fails", () => {
  it("is opened again with back-off, and said in the log", async () => {
    const seen: string[] = [];
    const { watcher, opened } = scripted(
      () => failing(event("a")),
      () => of(event("a"), event("b")),
    );
    const { clock, stopping, done, logger } = watching(watcher, {
      extract: (it) => void seen.push(told(it)),
    });
    await clock.advance(0);
    expect(opened).toHaveLength(1);
    await clock.advance(500);
    expect(opened).toHaveLength(2);
    await clock.advance(1000);
    expect(opened).toHaveLength(3);
    expect(seen).toEqual(["AddOrUpdate a", "AddOrUpdate a", "AddOrUpdate b"]);
    expect(logger.lines.map(({ fields }) => fields.error)).toEqual(["410 gone", "it ended"]);
    stopping.abort();
    await done;
    expect(clock.pending).toBe(0);
  });

  it("shows why in its status, until it works again", async () => {
    const { watcher } = scripted(() => failing());
    const { clock, stopping, done, watch, meter } = watching(watcher);
    await clock.advance(0);
    expect(watch.status).toEqual({
      ...{ source: "pods/pods", kind: "v1, Kind=Pod", state: "degraded" },
      error: { code: "WATCH_ENDED", message: "410 gone" },
    });
    await clock.advance(500);
    expect(watch.status).toEqual({ source: "pods/pods", kind: "v1, Kind=Pod", state: "running" });
    expect(meter.value("muster_datalayer_watch_interruptions_total")).toBe(1);
    stopping.abort();
    await done;
    expect(watch.status.state).toBe("stopped");
  });

  it("so does one that waits and says why", async () => {
    let tell: (reason: MusterError | undefined) => void = () => undefined;
    const watcher: ObjectWatcher = {
      typedName: typedName("waiting"),
      watch(_gvk, { signal, onInterruption }) {
        tell = (reason) => onInterruption?.(reason);
        tell(new MusterError("KUBE_NOT_FOUND", "no such kind"));
        return quiet(signal);
      },
    };
    const { clock, stopping, done, watch, meter } = watching(watcher);
    await clock.advance(0);
    tell(new MusterError("KUBE_FORBIDDEN", "not allowed"));
    expect(watch.status).toMatchObject({ state: "degraded", error: { code: "KUBE_FORBIDDEN" } });
    tell(undefined);
    expect(watch.status).toEqual({ source: "pods/pods", kind: "v1, Kind=Pod", state: "running" });
    const labels = { source: "pods/pods" };
    expect(meter.value("muster_datalayer_watch_interruptions_total", labels)).toBe(1);
    stopping.abort();
    await done;
  });

  it("a watcher that throws at once is retried too", async () => {
    const watcher: ObjectWatcher = {
      typedName: typedName("broken"),
      watch() {
        throw new Error("no such kind");
      },
    };
    const { clock, stopping, done, logger } = watching(watcher);
    await clock.advance(100_000);
    expect(logger.lines.length).toBeGreaterThan(5);
    expect(logger.lines.length).toBeLessThan(15);
    stopping.abort();
    await done;
  });
});
