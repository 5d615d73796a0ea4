/** ms before the first retry. */
const initial = 250;
/** ms, never exceeded; both as in the original. */
const cap = 5000;

/** ms before retry number `attempt` (from 0): doubles up to the cap, less up to half at random. */
export function backOff(attempt: number, random: () => number = Math.random): number {
  return Math.min(cap, initial * 2 ** Math.min(attempt, 10)) * (1 - random() / 2);
}
