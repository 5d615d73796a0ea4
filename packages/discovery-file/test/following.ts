import {
  createDiscoveryNotifier,
  type EndpointMetadata,
  endpointId,
  type PluginContext,
} from "@muster/core";
import { createRecordingLogger, createRecordingMeter } from "@muster/testkit";
import { expect, onTestFinished, vi } from "vitest";
import fileDiscovery, { type FileDiscoveryConfig } from "../src/index.ts";

/** A discovery that runs, and what it reported. */
export interface Following {
  /** Address by id, of endpoints that were reported and not taken back. */
  readonly found: Record<string, string>;
  readonly calls: string[];
  readonly logger: ReturnType<typeof createRecordingLogger>;
  readonly meter: ReturnType<typeof createRecordingMeter>;
  /** Messages logged at warn and error. */
  complaints(): string[];
  /** Waits until exactly these are there, by what follows `default/` and address. */
  until(expected: Record<string, string>): Promise<void>;
  /** Waits until a message with this text was logged. */
  untilLogged(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** How long anything may take before a test fails; how long it took is no matter here. */
const patience = { timeout: 10_000, interval: 5 };
vi.setConfig({ testTimeout: 60_000 });

/** Starts a watching discovery, and stops it at the end of the test. */
export async function follow(
  path: string,
  config: Partial<FileDiscoveryConfig> = {},
  given: Partial<PluginContext> = {},
): Promise<Following> {
  const controller = new AbortController();
  const logger = createRecordingLogger();
  const meter = createRecordingMeter();
  const found: Record<string, string> = {};
  const calls: string[] = [];
  const discovery = fileDiscovery.create(
    { path, watchFile: true, ...config },
    { logger, metrics: meter, ...given },
  );
  const notifier = createDiscoveryNotifier({
    endpointUpsert: ({ namespacedName, address }: EndpointMetadata) => {
      calls.push(`+${namespacedName.name}`);
      found[endpointId(namespacedName).replace("default/", "")] = address;
    },
    endpointDelete: (id) => {
      calls.push(`-${id.name}`);
      delete found[endpointId(id).replace("default/", "")];
    },
  });
  const done = discovery.start(notifier, { signal: controller.signal });
  const stop = async (): Promise<void> => {
    controller.abort();
    await done;
  };
  await Promise.race([discovery.ready(), done]);
  onTestFinished(stop);
  const messages = (): string[] => logger.lines.map(({ message }) => message);
  return {
    found,
    calls,
    logger,
    meter,
    stop,
    complaints: () =>
      logger.lines.filter(({ level }) => /warn|error/.test(level)).map(({ message }) => message),
    until: (expected) => expect.poll(() => found, patience).toEqual(expected),
    untilLogged: (text) =>
      expect.poll(messages, patience).toContainEqual(expect.stringContaining(text)),
  };
}

/** The content of a file with these endpoints: address by name. */
export function content(endpoints: Record<string, string>): string {
  const entries = Object.entries(endpoints).map(([name, address]) => ({ name, address, port: 80 }));
  return `${JSON.stringify({ endpoints: entries }, null, 1)}\n`;
}
