/** Times of a reflector, all in ms. */
export interface ReflectorTiming {
  /** How long the server is to keep one watch; jittered by half up. Default 5 min, as in client-go. */
  readonly watchTimeout: number;
  /**
   * A watch without any line, bookmarks included, for so long is taken for dead. API servers send
   * bookmarks about once a minute. Default 3 min.
   */
  readonly silence: number;
  /** Everything is listed anew so often, whatever the watch says; jittered. Default 10 min. */
  readonly relist: number;
  /** First wait after a failure; doubles. Default 250. */
  readonly retryInitial: number;
  /** Longest wait between two tries. Default 30 s. */
  readonly retryCap: number;
  /** A watch that lasted less than this counts as failed when the wait before the next is chosen. Default 10 s. */
  readonly healthy: number;
  /** Longest wait between two watches that end early but without a fault. Default 5 s. */
  readonly reconnectCap: number;
}

/** The defaults. */
export const defaultTiming: ReflectorTiming = Object.freeze({
  watchTimeout: 300_000,
  silence: 180_000,
  relist: 600_000,
  retryInitial: 250,
  retryCap: 30_000,
  healthy: 10_000,
  reconnectCap: 5_000,
});

/** The wait before try number `attempt` (from 0): doubles up to the cap, less up to half at random. */
export function retryWait(attempt: number, initial: number, cap: number): number {
  return Math.min(cap, initial * 2 ** Math.min(attempt, 30)) * (1 - Math.random() / 2);
}

/** `ms` and up to a half more, at random. */
export function jittered(ms: number): number {
  return ms * (1 + Math.random() / 2);
}
