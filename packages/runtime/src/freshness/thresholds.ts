import { formatTypedName, MusterError, parseDuration } from "@muster/core";
import type { FreshnessOptions } from "../runtime-options.ts";
import type { WiredSource } from "../wiring/wiring.ts";
import type { Thresholds } from "./source-freshness.ts";

/** An endpoint is stale after this many intervals without success. */
const defaultIntervals = 5;
/** ms; with short intervals a busy moment must not make a fleet stale. */
const leastDefault = 1000;
const defaultUnreachableAfter = 5;

/** Thresholds of each source, and what is wrong with the settings. */
export interface ResolvedThresholds {
  /** Those of a source polled every `interval` ms. */
  of(interval: number): Thresholds;
  readonly problems: readonly MusterError[];
  readonly warnings: readonly string[];
}

/**
 * Checks the settings against the intervals: with an interval longer than `staleAfter` everything
 * would be stale for ever (llm-d-router#2514), so that is a problem; with less than two intervals one
 * missed poll makes stale, which is a warning.
 */
export function resolveThresholds(
  options: FreshnessOptions,
  sources: readonly WiredSource[],
): ResolvedThresholds {
  const problems: MusterError[] = [];
  const warnings: string[] = [];
  const staleAfter = durationOf(options.staleAfter, problems);
  const unreachableAfter = countOf(options.unreachableAfter, problems);
  for (const { source, interval } of sources) {
    if (interval === undefined || staleAfter === undefined) continue;
    const what = `source ${formatTypedName(source.typedName)} is polled every ${interval} ms and stale after ${staleAfter} ms`;
    if (interval > staleAfter)
      problems.push(
        new MusterError(
          "CONFIG_INVALID",
          `${what}: it would be stale for ever; raise freshness.staleAfter or poll more often`,
          { plugin: source.typedName, path: "freshness.staleAfter" },
        ),
      );
    else if (interval * 2 > staleAfter) warnings.push(`${what}: one missed poll makes it stale`);
  }
  const of = (interval: number): Thresholds => ({
    staleAfter: staleAfter ?? Math.max(leastDefault, defaultIntervals * interval),
    unreachableAfter,
  });
  return { of, problems, warnings };
}

function durationOf(
  value: FreshnessOptions["staleAfter"],
  problems: MusterError[],
): number | undefined {
  if (value === undefined) return undefined;
  const ms = parseDuration(value);
  if (ms !== undefined && ms > 0) return ms;
  problems.push(
    new MusterError(
      "CONFIG_INVALID",
      `${JSON.stringify(value)} is no duration above 0, such as "5s"`,
      {
        path: "freshness.staleAfter",
      },
    ),
  );
  return undefined;
}

function countOf(value: number | undefined, problems: MusterError[]): number {
  if (value === undefined) return defaultUnreachableAfter;
  if (Number.isSafeInteger(value) && value >= 1) return value;
  problems.push(
    new MusterError("CONFIG_INVALID", `${JSON.stringify(value)} must be a whole number from 1`, {
      path: "freshness.unreachableAfter",
    }),
  );
  return defaultUnreachableAfter;
}
