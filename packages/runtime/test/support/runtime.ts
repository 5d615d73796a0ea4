import type { MusterError } from "@muster/core";
import { createFakeClock, type FakeClock } from "@muster/testkit";
import { expect } from "vitest";
import type { Fleet } from "../../src/fleet.ts";
import { createRuntime } from "../../src/runtime.ts";
import type { RuntimeOptions } from "../../src/runtime-options.ts";
import {
  type ManualDiscovery,
  manualDiscovery,
  meta,
  queueExtractor,
  readingSource,
} from "./fleet.ts";

/** A runtime with a clock of its own and one endpoint `a`, found by a discovery `d`. */
export interface Setup {
  readonly clock: FakeClock;
  readonly fleet: Fleet;
  readonly discovery: ManualDiscovery;
  /** Starts and lets time pass until it is done. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a runtime; `ready: false`: its discovery is not ready by itself. */
export function setUp(options: RuntimeOptions & { ready?: boolean } = {}): Setup {
  const { ready = true, ...rest } = options;
  const clock = createFakeClock();
  const discovery = manualDiscovery("d", {
    first: (notifier) => notifier.upsert(meta("a")),
    ready,
  });
  const source = readingSource(() => 1, { clock });
  const fleet = createRuntime({
    ...{ clock, discovery: [discovery] },
    sources: [{ source, extractors: [queueExtractor()] }],
    ...rest,
  });
  const passing = async (work: Promise<void>, ms: number): Promise<void> => {
    work.catch(() => undefined);
    await clock.advance(ms);
    await work;
  };
  return {
    ...{ clock, fleet, discovery },
    start: () => passing(fleet.start(), 100),
    stop: () => passing(fleet.stop(), 10_000),
  };
}

/** The problems with which a start fails. */
export async function problemsOf(start: Promise<void>): Promise<readonly MusterError[]> {
  const error = await start.then(
    () => expect.unreachable(),
    (reason: MusterError) => reason,
  );
  expect(error.code).toBe("START_FAILED");
  return error.problems;
}
