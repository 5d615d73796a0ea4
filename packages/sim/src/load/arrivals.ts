import type { Random } from "../random.ts";

/** A target's part in the arrivals. */
export interface ArrivalTarget {
  /** Mean requests per second. */
  readonly rate: number;
  /** Where in its swing it starts, 0..1. */
  readonly phase: number;
}

/** What arrivals depend on. */
export interface ArrivalOptions {
  readonly targets: readonly ArrivalTarget[];
  /** Ms of a swing. */
  readonly period: number;
  /** How far rates swing around their mean, 0..1. */
  readonly depth: number;
  readonly random: Random;
}

/** A request that is due. */
export interface Arrival {
  /** Ms since the beginning. */
  readonly at: number;
  /** Index of the target. */
  readonly target: number;
}

/**
 * An endless Poisson process for several targets with rates that swing: drawn at the highest rate
 * possible, and thinned (Lewis and Shedler, 1979). Times never go back.
 */
export function* arrivals(options: ArrivalOptions): Generator<Arrival, never> {
  const { targets, period, depth, random } = options;
  const total = targets.reduce((sum, { rate }) => sum + rate, 0);
  const meanGap = 1000 / (total * (1 + depth));
  for (let at = 0; ; ) {
    at += random.exponential(meanGap);
    const target = pickTarget(targets, random.next() * total);
    const phase = targets[target]?.phase ?? 0;
    const swing = 1 + depth * Math.sin(2 * Math.PI * (at / period + phase));
    if (random.next() * (1 + depth) < swing) yield { at, target };
  }
}

function pickTarget(targets: readonly ArrivalTarget[], point: number): number {
  let passed = 0;
  for (const [index, { rate }] of targets.entries()) {
    passed += rate;
    if (point < passed) return index;
  }
  return targets.length - 1;
}
