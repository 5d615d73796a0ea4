import type { Clock } from "@muster/core";
import type { DiscoveryInstance } from "@muster/core/plane";

/** What {@link Departures} needs. */
export interface DeparturesOptions {
  readonly clock: Clock;
  /** ms that a record which is gone is kept, and how long after an outage that is done. */
  readonly holdTime: number;
}

/**
 * Decides when a record that is gone from the store is given up: at once, but after an outage only when
 * it has not come back for a while. A store that was wiped, or hung for longer than a lease, has lost the
 * records of workers that live and are about to register again: the fleet must not vanish meanwhile.
 */
export class Departures {
  readonly #options: DeparturesOptions;
  /** Cancels what will be given up, by key. */
  readonly #held = new Map<string, () => void>();
  /** Whether it is, or just was, interrupted. */
  #holding = false;
  #cancelEnd: (() => void) | undefined;

  constructor(options: DeparturesOptions) {
    this.#options = options;
  }

  /** The store cannot be followed. */
  interrupted(): void {
    this.#cancelEnd?.();
    this.#cancelEnd = undefined;
    this.#holding = true;
  }

  /** The store is followed again. */
  recovered(): void {
    if (!this.#holding || this.#cancelEnd !== undefined) return;
    const { clock, holdTime } = this.#options;
    this.#cancelEnd = clock.schedule(() => {
      this.#cancelEnd = undefined;
      this.#holding = false;
    }, holdTime);
  }

  /** A record is gone: gives it up, now or later. */
  leave(key: string, giveUp: () => void): void {
    if (this.#held.has(key)) return;
    const { clock, holdTime } = this.#options;
    if (!this.#holding || holdTime === 0) giveUp();
    else
      this.#held.set(
        key,
        clock.schedule(() => {
          this.#held.delete(key);
          giveUp();
        }, holdTime),
      );
  }

  /** A record is there. */
  back(record: DiscoveryInstance): void {
    if (this.#held.size === 0) return;
    const { key } = record.id();
    this.#held.get(key)?.();
    this.#held.delete(key);
  }

  /** Forgets what it holds, and holds nothing until the next outage. */
  reset(): void {
    this.#cancelEnd?.();
    this.#cancelEnd = undefined;
    this.#holding = false;
    for (const cancel of this.#held.values()) cancel();
    this.#held.clear();
  }
}
