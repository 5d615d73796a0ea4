/** Times of a reflector, all in ms. */
export interface ReflectorTiming {
  /** How long the server is to keep one watch; jittered by half up. Default 5 min, as in client-go. */
  readonly watchTimeout: number;
  /**
   * A watch without any line, bookmarks included, for so long is taken for dead. API servers send
   * bookmarks about once a minute. Default 3 min.
   */
  readonly silence: number;
  /** Everything is listed anew so often, whatever the watch says; jittered by half up. Default 10 min. */
  readonly relist: number;
  /** How long one page of a list, or the head of a watch, may take. Default 1 min, as API servers allow. */
  readonly answer: number;
  /** First wait after a failure; doubles. Default 250. */
  readonly retryInitial: number;
  /** Longest wait between two tries. Default 30 s. */
  readonly retryCap: number;
  /** A watch that lasted so long shows that what failed before is over: waits begin anew. Default 10 s. */
  readonly healthy: number;
  /** Longest wait after a watch that ended in order, but before its time. Default 5 s. */
  readonly reconnectCap: number;
}

/** The defaults. */
export const defaultTiming: ReflectorTiming = Object.freeze({
  watchTimeout: 300_000,
  silence: 180_000,
  relist: 600_000,
  answer: 60_000,
  retryInitial: 250,
  retryCap: 30_000,
  healthy: 10_000,
  reconnectCap: 5_000,
});

/** The longest that a server's `Retry-After` is followed, ms. */
const longestRetryAfter = 300_000;

/** The wait before try number `attempt` (from 0): doubles up to the cap, less up to half at random. */
export function retryWait(attempt: number, initial: number, cap: number): number {
  return Math.min(cap, initial * 2 ** Math.min(attempt, 30)) * (1 - Math.random() / 2);
}

/** No less than the server asked for, within reason, and not all clients at once. */
export function serverWait(retryAfter: number | undefined): number {
  return jittered(Math.min(retryAfter ?? 0, longestRetryAfter));
}

/** `ms` and up to a half more, at random. */
export function jittered(ms: number): number {
  return ms * (1 + Math.random() / 2);
}
