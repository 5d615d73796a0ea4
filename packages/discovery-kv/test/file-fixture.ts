import { join } from "node:path";
import type { PluginContext } from "@muster/core";
import type { Bucket, BucketWatchOptions, KeyValueStore } from "@muster/core/plane";
import { createFileStore, type FileStoreOptions } from "@muster/discovery-kv/file";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { expect, onTestFinished, vi } from "vitest";
import { makeDirectory } from "./file-world.ts";

vi.setConfig({ testTimeout: 60_000 });

/** How long anything may take before a test fails; how long it took is no matter. */
export const patience = { timeout: 20_000, interval: 10 };

/** A root that is not there yet, removed after the test, and the directory of the bucket in it. */
export function freshRoot(): { readonly root: string; readonly bucket: string } {
  const { path, remove } = makeDirectory();
  onTestFinished(remove);
  const root = join(path, "root");
  return { root, bucket: join(root, "v1", "instances") };
}

/** A store that is closed after the test, and what it logs and counts. */
export interface Client {
  readonly store: KeyValueStore;
  readonly bucket: Bucket;
  readonly logger: ReturnType<typeof createRecordingLogger>;
  readonly meter: ReturnType<typeof createRecordingMeter>;
  /** Waits until a message with this text was logged. */
  untilLogged(text: string): Promise<void>;
}

export function client(
  root: string,
  options: Partial<FileStoreOptions> = {},
  context: Partial<PluginContext> = {},
): Client {
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const store = createFileStore(
    { root, ttl: "1s", pollInterval: 50, ...options },
    { logger, metrics: meter, ...context },
  );
  onTestFinished(() => store.close());
  return {
    store,
    bucket: store.bucket("v1/instances"),
    logger,
    meter,
    untilLogged: (text) =>
      expect
        .poll(() => logger.lines.map(({ message }) => message), patience)
        .toContainEqual(expect.stringContaining(text)),
  };
}

/** What a reader of a watch sees. */
export interface Follower {
  /** Type and key of each event, such as `Put a`; a Resync names its keys. */
  readonly events: string[];
  readonly interruptions: (string | undefined)[];
  /** Waits until exactly this is there. */
  until(entries: Record<string, string>): Promise<void>;
}

export async function follow(bucket: Bucket, options: BucketWatchOptions = {}): Promise<Follower> {
  const events: string[] = [];
  const interruptions: (string | undefined)[] = [];
  let view = new Map<string, string>();
  const stream = await bucket.watch({
    onInterruption: (problem) => interruptions.push(problem?.code),
    ...options,
  });
  const done = (async () => {
    for await (const event of stream) {
      if (event.type === "Resync") {
        view = new Map(event.entries);
        events.push(`Resync ${[...view.keys()].sort()}`);
      } else {
        if (event.type === "Put") view.set(event.key, event.value);
        else view.delete(event.key);
        events.push(`${event.type} ${event.key}`);
      }
    }
  })();
  onTestFinished(async () => {
    await stream.return?.();
    await done;
  });
  return {
    events,
    interruptions,
    until: (entries) => expect.poll(() => Object.fromEntries(view), patience).toEqual(entries),
  };
}
