import {
  type Duration,
  formatTypedName,
  MusterError,
  type PollingSource,
  parseDuration,
} from "@muster/core";
import type { PlannedSource } from "./plan.ts";

/** The shortest tick, ms: the original's. */
const shortestTick = 50;

/** Base tick of a runtime where none is given. */
const defaultInterval = "1s";

/** The tick and each polling source's interval in ms, by source. */
export interface Intervals {
  readonly tick: number;
  readonly of: ReadonlyMap<PlannedSource["source"], number>;
}

/** What {@link planIntervals} reads, and where it reports to. */
export interface IntervalsInput {
  readonly interval: Duration | undefined;
  readonly sources: readonly PlannedSource[];
  readonly problems: MusterError[];
  readonly warnings: string[];
}

/**
 * The tick is the base interval, or the smallest interval of a source if that is less, and at least
 * 50 ms. A source's interval is rounded to the nearest multiple of the tick, at least one; without
 * one it is polled on every tick.
 */
export function planIntervals(input: IntervalsInput): Intervals {
  const polling = input.sources.flatMap(({ source }) =>
    source.variant === "polling" && isInterval(source, input.problems) ? [source] : [],
  );
  const wanted = polling.flatMap(({ interval }) => (interval === undefined ? [] : [interval]));
  const tick = Math.max(shortestTick, Math.min(baseInterval(input), ...wanted));
  const of = new Map<PlannedSource["source"], number>();
  for (const source of polling) {
    const interval = source.interval ?? tick;
    const rounded = Math.max(1, Math.round(interval / tick)) * tick;
    // a product of fractions of ms may be off by the last bit
    if (Math.abs(rounded - interval) > 1e-6)
      input.warnings.push(
        `source ${formatTypedName(source.typedName)} is polled every ${rounded} ms, not every ` +
          `${interval} ms: intervals are multiples of the tick of ${tick} ms`,
      );
    of.set(source, rounded);
  }
  return { tick, of };
}

function baseInterval({ interval = defaultInterval, problems }: IntervalsInput): number {
  const ms = parseDuration(interval);
  if (ms !== undefined && ms > 0) return ms;
  const text = `"${interval}" is no interval: use a duration above 0 such as 50ms, 1s, or ms as a number`;
  problems.push(new MusterError("CONFIG_INVALID", text, { path: "interval" }));
  return shortestTick;
}

function isInterval(
  { interval, typedName }: PollingSource<unknown>,
  problems: MusterError[],
): boolean {
  if (interval === undefined || (Number.isFinite(interval) && interval > 0)) return true;
  problems.push(
    new MusterError(
      "CONFIG_INVALID",
      `source ${formatTypedName(typedName)} has the interval ${interval}: it must be above 0 ms`,
      { plugin: typedName },
    ),
  );
  return false;
}
