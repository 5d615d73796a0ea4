import { type Duration, MusterError, parseDuration } from "@muster/core";
import { type ResolvedThresholds, resolveThresholds } from "./freshness/thresholds.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import type { Wiring } from "./wiring/wiring.ts";

const defaultStartTimeout = 30_000;
const defaultStopTimeout = 5000;

/** The options of a runtime that are not wiring, checked. */
export interface ResolvedSettings {
  readonly thresholds: ResolvedThresholds;
  /** ms. */
  readonly startTimeout: number;
  /** ms. */
  readonly stopTimeout: number;
  readonly problems: readonly MusterError[];
  readonly warnings: readonly string[];
}

/** Checks the options; throws nothing, so that all problems are reported together. */
export function resolveSettings(options: RuntimeOptions, wiring: Wiring): ResolvedSettings {
  const problems: MusterError[] = [];
  const timeout = (name: "startTimeout" | "stopTimeout", fallback: number): number => {
    const ms = durationOf(options[name], fallback);
    if (ms !== undefined) return ms;
    const text = `${JSON.stringify(options[name])} is no duration above 0, such as "30s"`;
    problems.push(new MusterError("CONFIG_INVALID", text, { path: name }));
    return fallback;
  };
  const startTimeout = timeout("startTimeout", defaultStartTimeout);
  const stopTimeout = timeout("stopTimeout", defaultStopTimeout);
  const thresholds = resolveThresholds(options.freshness ?? {}, wiring.sources);
  problems.push(...thresholds.problems);
  return { thresholds, startTimeout, stopTimeout, problems, warnings: thresholds.warnings };
}

function durationOf(value: Duration | undefined, fallback: number): number | undefined {
  const ms = value === undefined ? fallback : parseDuration(value);
  return ms !== undefined && ms > 0 ? ms : undefined;
}
