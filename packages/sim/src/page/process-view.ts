import type { Clock } from "@muster/core";
import type { LoadView } from "../engine/totals.ts";

/** What the page says of the server's process. Simulated, so that a seed and a clock decide it. */
export interface ProcessView {
  /** Seconds since the epoch. */
  readonly startTime: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly virtualBytes: number;
  readonly openFiles: number;
  readonly pid: number;
}

/** Inputs of {@link createProcessView}. */
export interface ProcessViewOptions {
  readonly clock: Clock;
  readonly pid: number;
  /** What the process spends its time and its files on. */
  readonly load: () => LoadView;
}

/** A process that starts now. */
export function createProcessView(options: ProcessViewOptions): ProcessView {
  const startTime = options.clock.now() / 1000;
  return {
    startTime,
    pid: options.pid,
    get cpuSeconds() {
      return 14.2 + options.load().totals.steps * 0.004;
    },
    residentBytes: 1_412_231_168,
    virtualBytes: 21_474_836_480,
    get openFiles() {
      const { running, waiting } = options.load();
      return 42 + running + waiting;
    },
  };
}
