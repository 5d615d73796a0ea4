/**
 * How a plugin follows one collection of its source, such as the pods of a namespace, by lists and watches:
 * for status pages and probes.
 */
export interface FollowState {
  /** What is followed, such as `pods in serving`. */
  readonly what: string;
  /** ms since all of it was last listed; unset before the first time. */
  readonly syncAge?: number | undefined;
  /** Where the source is, as it says itself; opaque. */
  readonly revision?: string | undefined;
  /** Lists that had to be begun because something failed, or ended too early. */
  readonly restarts: number;
  /** Requests that failed. */
  readonly errors: number;
}
