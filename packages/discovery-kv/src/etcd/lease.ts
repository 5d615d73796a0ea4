import { type Clock, type ErrorCode, MusterError, toMusterError } from "@muster/core";
import { abortedError, formatHexId } from "@muster/core/plane";
import { backOff } from "../back-off.ts";
import { Gate } from "./gate.ts";
import type { CallOptions } from "./gateway.ts";
import type { LeaseCalls } from "./lease-calls.ts";

/** Shortest wait between two renewals, ms. */
const shortestWait = 100;
/** Retries come no slower than the third: writers wait for them. About 1 s. */
const slowestRetry = 2;
/** How long the farewell to the server may take, ms. */
const revokeTimeout = 2000;

/** What {@link Lease} needs. */
export interface LeaseOptions {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly id: bigint;
  /** ms asked for; the server may give more. */
  readonly ttl: number;
  /** ms for a call, and to wait for the lease. */
  readonly timeout: number;
  /** Whether losing it is the end. */
  readonly fatal: boolean;
  readonly on: LeaseEvents;
}

/** What a lease tells. */
export interface LeaseEvents {
  /** It is granted anew, after a loss: what hung on it is to be written again. */
  restore(options: CallOptions): Promise<void>;
  /** It was renewed. */
  renewed(options: CallOptions): Promise<void>;
  /** It could not be renewed in time: perhaps it is lost. */
  overdue(error: MusterError): void;
  /** It was lost, by the server's word; follows `overdue` where we were cut off. */
  lost(error: MusterError): void;
  /** It is lost, or overdue, still, for this reason; told once for each code. */
  missing(error: MusterError): void;
  /** It is there again. */
  recovered(): void;
  /** Losing it was the end. */
  failed(error: MusterError): void;
}

/**
 * A lease under an id of our choice, granted when it is first needed and then kept alive. Its end is
 * noticed by the local clock too: whoever was stopped, or cut off, for longer than it lives finds out by
 * himself. After a loss it is granted under the same id again (ADR 0007).
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #gate: Gate;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** The server knows of it, as far as we know. */
  #held = false;
  #toRestore = false;
  #outage = false;
  /** When it ends unless renewed, counted from when the renewal was sent. */
  #deadline = 0;
  #failures = 0;
  #problem: MusterError | undefined;
  /** Codes of the reasons for this outage that were told. */
  readonly #told = new Set<ErrorCode>();
  #doubted = false;
  #wake: (() => void) | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#gate = new Gate(options.clock);
  }

  /**
   * Resolves when it is granted and everything that hangs on it is in place.
   *
   * @throws MusterError STORE_LEASE_LOST where that is fatal, PLANE_ABORTED, or why it is not granted
   */
  async ready(signal: AbortSignal | undefined): Promise<void> {
    this.#running ??= this.#run();
    // the timer may be late: the process may have been stopped
    if (this.#gate.isOpen && this.#left <= 0) this.doubt();
    // somebody waits for it: no time to back off
    if (!this.#gate.isOpen) this.#wake?.();
    const { timeout, id } = this.#options;
    await this.#gate.wait({
      timeout,
      signal,
      onAbort: () => abortedError("a write", signal ?? this.#stop.signal),
      onTimeout: () =>
        this.#problem ??
        new MusterError(
          "STORE_TIMEOUT",
          `lease ${formatHexId(id)} was not granted within ${timeout} ms`,
        ),
    });
  }

  /** Something hints that it is gone: ask at once. */
  doubt(): void {
    this.#gate.close();
    this.#doubted = true;
    this.#wake?.();
  }

  /** Ends it for good, best effort. */
  async close(error: MusterError): Promise<void> {
    this.#gate.break(error);
    this.#stop.abort();
    this.#wake?.();
    if (this.#running === undefined) return;
    await this.#running;
    const timeout = Math.min(revokeTimeout, this.#options.timeout);
    // it ends by itself where that fails
    await this.#options.calls.revoke({ timeout }).catch(() => undefined);
  }

  get #left(): number {
    return this.#deadline - this.#options.clock.monotonic();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        this.#doubted = false;
        await this.#hold();
        await this.#sleep(this.#left / 2);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#problem = toMusterError(error, "STORE_UNAVAILABLE");
        if (this.#held && this.#left <= 0) this.#overdue(this.#problem);
        this.#tell(this.#problem);
        const retry = backOff(Math.min(this.#failures++, slowestRetry));
        await this.#sleep(this.#left > 0 ? Math.min(retry, this.#left / 2) : retry);
      }
    }
  }

  /** Grants or renews, and brings everything in place. */
  async #hold(): Promise<void> {
    const { on } = this.#options;
    if (this.#held) await this.#renew();
    if (!this.#held) await this.#grant();
    if (!this.#held) throw new MusterError("STORE_UNAVAILABLE", "the lease ended as it began");
    if (this.#toRestore) await on.restore(this.#limits());
    this.#toRestore = false;
    if (this.#doubted) return;
    this.#failures = 0;
    this.#problem = undefined;
    if (this.#outage) on.recovered();
    this.#outage = false;
    this.#told.clear();
    this.#gate.open();
    await on.renewed(this.#limits());
  }

  async #grant(): Promise<void> {
    const { calls, ttl, clock } = this.#options;
    const sentAt = clock.monotonic();
    const granted = await calls.grant(ttl, this.#limits());
    this.#held = true;
    if (granted === undefined) await this.#renew();
    else this.#deadline = sentAt + granted;
  }

  async #renew(): Promise<void> {
    const { calls, clock } = this.#options;
    const sentAt = clock.monotonic();
    const lives = await calls.renew(this.#limits());
    if (lives > 0) this.#deadline = sentAt + lives;
    else this.#lose();
  }

  /** Leaves time for a second try, and is over before those who wait give up: they learn why. */
  #limits(): CallOptions {
    const longest = this.#options.timeout * 0.8;
    const timeout = this.#left > 0 ? Math.max(this.#left / 2, 500) : longest;
    return { signal: this.#stop.signal, timeout: Math.min(timeout, longest) };
  }

  #lose(): void {
    const { id, on } = this.#options;
    this.#held = false;
    this.#toRestore = true;
    const message = `etcd no longer knows our lease ${formatHexId(id)}: what we registered was gone`;
    this.#report(new MusterError("STORE_LEASE_LOST", message), on.lost);
  }

  #overdue(cause: MusterError): void {
    const { id, on } = this.#options;
    if (this.#outage) return;
    const message = `lease ${formatHexId(id)} could not be renewed in time: ${cause.message}`;
    this.#told.add(cause.code);
    this.#report(new MusterError("STORE_LEASE_LOST", message, { cause }), on.overdue);
  }

  #tell(problem: MusterError): void {
    if (!this.#outage || this.#told.has(problem.code) || this.#stop.signal.aborted) return;
    this.#told.add(problem.code);
    this.#options.on.missing(problem);
  }

  #report(error: MusterError, tell: (error: MusterError) => void): void {
    const { fatal, on } = this.#options;
    this.#outage = true;
    this.#gate.close();
    if (!fatal) {
      tell(error);
      return;
    }
    this.#gate.break(error);
    this.#stop.abort();
    on.failed(error);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#doubted || this.#stop.signal.aborted) return resolve();
      const done = (): void => {
        this.#wake = undefined;
        cancel();
        resolve();
      };
      const cancel = this.#options.clock.schedule(done, Math.max(ms, shortestWait));
      this.#wake = done;
    });
  }
}
