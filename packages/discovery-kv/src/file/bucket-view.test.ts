import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@muster/core";
import type { WatchEvent } from "@muster/core/plane";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { expect, it, onTestFinished } from "vitest";
import { BucketView } from "./bucket-view.ts";
import { Root } from "./directory.ts";
import type { WatchDirectory } from "./directory-watch.ts";
import { FsClock } from "./fs-clock.ts";
import { Reporter } from "./reporter.ts";

function setUp(watchDirectory: WatchDirectory) {
  const directory = mkdtempSync(join(tmpdir(), "bucket-view-"));
  const root = new Root(directory);
  const logger = createRecordingLogger();
  const view = new BucketView({
    bucket: "b",
    root,
    clock: systemClock,
    fsClock: new FsClock({ clock: systemClock, maxAge: 1000, directory: () => root.find() }),
    ttl: 3_600_000,
    pollInterval: 50,
    reporter: new Reporter(directory, logger, createRecordingMeter()),
    isOwn: () => false,
    onReplaced: () => undefined,
    watchDirectory,
  });
  onTestFinished(async () => {
    await view.close();
    rmSync(directory, { recursive: true });
  });
  return { view, logger, bucket: join(directory, "b") };
}

async function next(events: AsyncIterator<WatchEvent>): Promise<WatchEvent> {
  const { value, done } = await events.next();
  if (done) throw new Error("the watch ended");
  return value;
}

const noMoreWatches: WatchDirectory = () => {
  throw Object.assign(new Error("System limit for number of file watchers reached"), {
    code: "ENOSPC",
  });
};

it("polls where the system has no watches left, and says so once", async () => {
  const { view, logger, bucket } = setUp(noMoreWatches);
  const { events } = await view.watch({});
  expect(await next(events)).toEqual({ type: "Resync", entries: new Map() });
  writeFileSync(join(bucket, "a"), "1");
  expect(await next(events)).toEqual({ type: "Put", key: "a", value: "1" });
  unlinkSync(join(bucket, "a"));
  expect(await next(events)).toEqual({ type: "Delete", key: "a" });
  const warnings = logger.lines.map(({ fields, message }) => [fields.code, message]);
  expect(warnings).toEqual([
    ["DISCOVERY_WATCH", expect.stringMatching(/polled instead: .*limit.*reached/)],
  ]);
});

it("finds what was changed in place without an event in the next round", async () => {
  const { view, bucket } = setUp(() => ({ close: () => undefined }));
  const { events } = await view.watch({});
  await next(events);
  writeFileSync(join(bucket, "a"), "1");
  expect(await next(events)).toMatchObject({ value: "1" });
  writeFileSync(join(bucket, "a"), "22");
  await view.round();
  expect(await next(events)).toEqual({ type: "Put", key: "a", value: "22" });
});

it("looks at everything when an event has no name", async () => {
  let event: (name: string | null) => void = () => undefined;
  const { view, bucket } = setUp((_path, onEvent) => {
    event = onEvent;
    return { close: () => undefined };
  });
  const { events } = await view.watch({});
  await next(events);
  writeFileSync(join(bucket, "a"), "1");
  expect(await next(events)).toMatchObject({ value: "1" });
  writeFileSync(join(bucket, "a"), "22");
  event(null);
  expect(await next(events)).toMatchObject({ value: "22" });
});

it("watches again after the watch failed", async () => {
  const failures: ((error: unknown) => void)[] = [];
  const { view, logger, bucket } = setUp((_path, _onEvent, onError) => {
    failures.push(onError);
    return { close: () => undefined };
  });
  await view.watch({});
  failures[0]?.(new Error("it broke"));
  writeFileSync(join(bucket, "a"), "1");
  await expect.poll(() => failures.length, { timeout: 10_000 }).toBe(2);
  expect(logger.lines.map(({ message }) => message)).toEqual([expect.stringContaining("it broke")]);
});
