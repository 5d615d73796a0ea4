import type { ErrorCode, Freshness, FreshnessState } from "@muster/core";

/** When the freshness of one source turns. */
export interface Thresholds {
  /** Age of the last success beyond which the endpoint is stale, ms. */
  readonly staleAfter: number;
  /** Failed polls in a row that make it unreachable. */
  readonly unreachableAfter: number;
}

/** When something happened: wall clock for people, monotonic for ages; ms. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

/**
 * Freshness of one endpoint by one source. The state is computed from the time at which it is asked
 * for, so a reader sees an endpoint turn stale even when nothing runs.
 *
 * A failed poll counts towards `unreachable`. A poll that succeeded without any success of an
 * extractor that provides freshness ends a row of failures, leaves its error code, and does not make
 * fresh: the endpoint turns stale with time. An endpoint that never succeeded is `pending` until
 * `staleAfter` has passed since its first poll ended, then `stale`.
 */
export class SourceFreshness {
  readonly thresholds: Thresholds;
  /** Monotonic time of the last success, or of the first outcome while there was no success. */
  reference: number | undefined;
  #polled = true;
  #succeeded = false;
  #lastSuccess: number | undefined;
  #lastFailure: number | undefined;
  #errorCode: ErrorCode | undefined;
  #failures = 0;
  #cached: Freshness | undefined;

  constructor(thresholds: Thresholds) {
    this.thresholds = thresholds;
  }

  get errorCode(): ErrorCode | undefined {
    return this.#errorCode;
  }

  get failures(): number {
    return this.#failures;
  }

  get lastSuccess(): number | undefined {
    return this.#lastSuccess;
  }

  /** Switches polling on or off; on again, it starts anew as pending. */
  setPolled(polled: boolean): void {
    if (polled && !this.#polled) {
      this.#succeeded = false;
      this.reference = undefined;
      this.#failures = 0;
      this.#errorCode = undefined;
    }
    this.#polled = polled;
    this.#cached = undefined;
  }

  /** The endpoint has another address now: failures so far say nothing about it. */
  retarget(): void {
    this.#failures = 0;
    this.#cached = undefined;
  }

  /** A poll and an extractor that provides freshness succeeded. */
  success({ wall, monotonic }: Moment): void {
    this.#succeeded = true;
    this.#lastSuccess = wall;
    this.#errorCode = undefined;
    this.#failures = 0;
    this.reference = monotonic;
    this.#cached = undefined;
  }

  /** The poll failed. */
  pollFailed(at: Moment, code: ErrorCode): void {
    this.#failed(at, code);
    this.#failures += 1;
  }

  /** The poll succeeded, but no extractor that provides freshness did. */
  extractFailed(at: Moment, code: ErrorCode): void {
    this.#failed(at, code);
    this.#failures = 0;
  }

  state(now: number): FreshnessState {
    if (!this.#polled) return "unpolled";
    if (this.#failures >= this.thresholds.unreachableAfter) return "unreachable";
    if (this.reference === undefined) return "pending";
    if (now - this.reference > this.thresholds.staleAfter) return "stale";
    return this.#succeeded ? "fresh" : "pending";
  }

  /** The same object until something changes. */
  read(now: number): Freshness {
    const state = this.state(now);
    if (this.#cached?.state !== state)
      this.#cached = Object.freeze({
        state,
        lastSuccess: this.#lastSuccess,
        lastFailure: this.#lastFailure,
        errorCode: this.#errorCode,
        failures: this.#failures,
      });
    return this.#cached;
  }

  #failed({ wall, monotonic }: Moment, code: ErrorCode): void {
    this.#lastFailure = wall;
    this.#errorCode = code;
    this.reference ??= monotonic;
    this.#cached = undefined;
  }
}
