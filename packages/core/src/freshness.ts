import type { ErrorCode } from "./error-codes.ts";

/**
 * How far an endpoint's numbers can be trusted: `pending` not polled yet, `fresh`, `stale` last
 * success too long ago, `unreachable` too many failed polls in a row, `unpolled` nothing polls it.
 */
export type FreshnessState = "pending" | "fresh" | "stale" | "unreachable" | "unpolled";

/** Freshness by one source, or the aggregate of an endpoint. Times are ms since the epoch. */
export interface Freshness {
  readonly state: FreshnessState;
  readonly lastSuccess: number | undefined;
  readonly lastFailure: number | undefined;
  /** Of the last failure; `undefined` once a poll succeeded again. */
  readonly errorCode: ErrorCode | undefined;
  /** Failed polls in a row. */
  readonly failures: number;
}
