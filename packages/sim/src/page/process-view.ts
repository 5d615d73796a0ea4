import type { Clock } from "@muster/core";

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
  /** Connections now open. */
  readonly connections: () => number;
  /** Scheduler steps done so far: what the process spends its time on. */
  readonly steps: () => number;
}

/** A process that starts now. */
export function createProcessView(options: ProcessViewOptions): ProcessView {
  const startTime = options.clock.now() / 1000;
  return {
    startTime,
    pid: options.pid,
    get cpuSeconds() {
      return 14.2 + options.steps() * 0.004;
    },
    residentBytes: 1_412_231_168,
    virtualBytes: 21_474_836_480,
    get openFiles() {
      return 42 + options.connections();
    },
  };
}
