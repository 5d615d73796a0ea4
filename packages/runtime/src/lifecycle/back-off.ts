/** How long to wait before trying again. */
export interface BackOffOptions {
  /** ms before the first retry. */
  readonly initial: number;
  /** ms, never exceeded. */
  readonly cap: number;
  /** 0..1; default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * The wait before retry number `attempt` (from 0): doubles up to the cap, then takes off up to half
 * at random, so that many who failed together do not come back together.
 */
export function backOff(attempt: number, options: BackOffOptions): number {
  const { initial, cap, random = Math.random } = options;
  const full = Math.min(cap, initial * 2 ** Math.min(attempt, 30));
  return full * (1 - random() / 2);
}
