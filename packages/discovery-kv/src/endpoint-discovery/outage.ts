import type { Clock, DiscoveryNotifier, MusterError } from "@muster/core";

/** What an {@link Outage} needs. */
export interface OutageOptions {
  readonly notifier: DiscoveryNotifier;
  readonly clock: Clock;
  /** ms; Infinity: for ever. */
  readonly graceTime: number;
  /** The store has been away for all of the grace time. */
  readonly onExpired: () => void;
}

/** Says when the store cannot be followed, and counts how long. */
export class Outage {
  readonly #options: OutageOptions;
  #cancel: (() => void) | undefined;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** The store cannot be followed; or still not, for another reason. */
  begin(reason: MusterError): void {
    const { notifier, clock, graceTime, onExpired } = this.#options;
    notifier.degraded(reason);
    if (this.#cancel !== undefined) return;
    this.#cancel =
      graceTime === Number.POSITIVE_INFINITY
        ? () => undefined
        : clock.schedule(onExpired, graceTime);
  }

  /** The store is followed, and what was missed has been reported. */
  end(): void {
    if (this.#cancel === undefined) return;
    this.close();
    this.#options.notifier.recovered();
  }

  /** Stops counting. */
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
