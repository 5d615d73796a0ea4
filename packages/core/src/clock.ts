/** Time as plugins see it, so that tests can drive it. */
export interface Clock {
  /** Wall clock, ms since the Unix epoch; may jump. */
  now(): number;
  /** Never goes back, ms since some origin; for durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `delay` ms unless the returned function is called first. */
  schedule(callback: () => void, delay: number): () => void;
}

/** The real clock. */
export const systemClock: Clock = Object.freeze({
  now: (): number => Date.now(),
  monotonic: (): number => performance.now(),
  schedule(callback: () => void, delay: number): () => void {
    const timer = setTimeout(callback, delay);
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
