import { type DispatchResult, errorCodeOf, MusterError, messageOf } from "@muster/core";
import { backOff } from "../lifecycle/back-off.ts";
import { blockedBy, isDispatchResult } from "./outcome.ts";
import type { PollBinding } from "./poll-binding.ts";
import type { PollSession } from "./poll-session.ts";
import { Rhythm } from "./rhythm.ts";
import type { Task } from "./scheduler.ts";
import type { TrackedFreshness } from "./tracked-freshness.ts";

/** Longest wait of the back-off: this many intervals, or the ms below if that is less. */
const capIntervals = 10;
const capMs = 30_000;

/** Polls one endpoint by one source, in turn, never two at once. */
export class PollTask implements Task {
  readonly binding: PollBinding;
  readonly session: PollSession;
  readonly freshness: TrackedFreshness;
  due: number;
  readonly #rhythm: Rhythm;
  #startedAt: number | undefined;
  /** A turn came while a poll was still in flight; taken once that has ended, as Go's tickers do. */
  #missed = false;
  /** Names of the extractors that failed last time; `undefined` for none. */
  failing: ReadonlySet<string> | undefined;

  constructor(session: PollSession, freshness: TrackedFreshness) {
    const { binding } = freshness;
    this.session = session;
    this.binding = binding;
    this.freshness = freshness;
    const { clock, count } = session.context;
    const place = { now: clock.monotonic(), index: binding.added++, count: count() };
    this.#rhythm = new Rhythm(binding.interval, place);
    this.due = this.#rhythm.first;
  }

  get cancelled(): boolean {
    return this.session.stopped;
  }

  next(now: number): number {
    // the timer may have been early, and the same place must not be given twice
    return this.#rhythm.after(Math.max(now, this.due));
  }

  run(now: number): void {
    if (this.#rhythm.isPaused(now)) return;
    if (this.#startedAt !== undefined) {
      this.#missed = true;
      return;
    }
    this.#startedAt = now;
    this.session.context.began();
    this.#dispatch().then(this.#onResult, this.#onError);
  }

  #dispatch(): Promise<DispatchResult> {
    const { session, binding } = this;
    try {
      // a source that breaks the contract may give no promise, or throw
      return Promise.resolve(binding.source.dispatch(session.handle.endpoint, session.options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  readonly #onResult = (result: DispatchResult): void => {
    if (isDispatchResult(result)) this.#succeeded(result);
    else this.#onError(badResult(this.binding));
  };

  #succeeded(result: DispatchResult): void {
    const moment = this.#ended();
    if (moment === undefined) return;
    const { freshness, binding, session } = this;
    const first = freshness.reference === undefined;
    const blocked = blockedBy(result, binding.providers);
    if (blocked === undefined) freshness.success(moment);
    else freshness.extractFailed(moment, blocked.code);
    if (blocked === undefined || first) binding.ages.moveToEnd(freshness);
    if (result.failed.length > 0 || this.failing !== undefined)
      session.context.extracted(this, result);
    session.context.settled(this, moment, blocked?.message);
    this.#makeUp(moment.monotonic);
  }

  readonly #onError = (error: unknown): void => {
    const moment = this.#ended();
    if (moment === undefined) return;
    const { freshness, binding, session } = this;
    const first = freshness.reference === undefined;
    const code = errorCodeOf(error, "INTERNAL");
    freshness.pollFailed(moment, code);
    if (first) binding.ages.moveToEnd(freshness);
    if (code === "SCRAPE_CONNECT") this.#backOff(moment.monotonic);
    session.context.pollFailed(this);
    session.context.settled(this, moment, messageOf(error));
    this.#makeUp(moment.monotonic);
  };

  #makeUp(now: number): void {
    if (!this.#missed || this.cancelled) return;
    this.#missed = false;
    this.run(now);
  }

  /** The time of the end; `undefined` when the endpoint is polled no more and nothing may change. */
  #ended(): { wall: number; monotonic: number } | undefined {
    const { session, binding } = this;
    const { clock, ended, observe } = session.context;
    const monotonic = clock.monotonic();
    const duration = monotonic - (this.#startedAt ?? monotonic);
    this.#startedAt = undefined;
    ended(this);
    if (session.stopped) return undefined;
    observe(binding, duration);
    return { wall: clock.now(), monotonic };
  }

  /**
   * A server that refuses connections is asked at the full rate until it counts as unreachable, so
   * that its state is known soon, and then less and less often.
   */
  #backOff(now: number): void {
    const { interval, thresholds } = this.binding;
    const attempt = this.freshness.failures - thresholds.unreachableAfter;
    if (attempt < 0) return;
    const cap = Math.max(interval, Math.min(capIntervals * interval, capMs));
    this.#rhythm.pause(now + backOff(attempt, { initial: 2 * interval, cap }));
  }
}

function badResult({ name, source }: PollBinding): MusterError {
  return new MusterError(
    "PLUGIN_INVALID",
    `source ${name}: dispatch() must give {extracted, failed}`,
    {
      plugin: source.typedName,
    },
  );
}
