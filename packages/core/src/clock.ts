/** Time as plugins see it, so that tests can drive it. */
export interface Clock {
  /** Wall clock, ms since the Unix epoch; may jump. */
  now(): number;
  /** Never goes back, ms since some origin; for durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `delay` ms unless the returned function is called first. */
  schedule(callback: () => void, delay: number): () => void;
}

/** The longest wait of `setTimeout`, ms; it takes a longer one for no wait at all. */
const longestTimeout = 2 ** 31 - 1;

/** The real clock. */
export const systemClock: Clock = Object.freeze({
  now: (): number => Date.now(),
  monotonic: (): number => performance.now(),
  schedule(callback: () => void, delay: number): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (left: number): void => {
      const next = left > longestTimeout ? () => wait(left - longestTimeout) : callback;
      timer = setTimeout(next, Math.min(left, longestTimeout));
    };
    wait(delay);
    return () => clearTimeout(timer);
  },
});

/**
 * Resolves after `delay` ms, or at once when `signal` aborts; never rejects. Look at
 * `signal.aborted` afterwards.
 */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.schedule(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
