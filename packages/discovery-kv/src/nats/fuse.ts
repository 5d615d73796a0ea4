import type { Clock, MusterError } from "@muster/core";

/**
 * Something that ends once and for a reason. Unlike an AbortSignal it is made for any number of
 * listeners, and forgets each that is no longer interested.
 */
export class Fuse {
  readonly #listeners = new Set<(reason: MusterError) => void>();
  #reason: MusterError | undefined;

  get reason(): MusterError | undefined {
    return this.#reason;
  }

  /** Ends it; only the first reason counts. */
  blow(reason: MusterError): void {
    if (this.#reason) return;
    this.#reason = reason;
    for (const listener of [...this.#listeners]) listener(reason);
    this.#listeners.clear();
  }

  /** Calls back when it ends, at once if it has; until the returned function is called. */
  listen(listener: (reason: MusterError) => void): () => void {
    if (this.#reason) listener(this.#reason);
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  throwIfBlown(): void {
    if (this.#reason) throw this.#reason;
  }
}

/** Something that calls back when there is no need to wait any longer. */
export type Wake = (wake: () => void) => () => void;

/** Waits so many ms, less when one of these calls back. */
export function pause(clock: Clock, ms: number, ...wakes: readonly Wake[]): Promise<void> {
  return new Promise((resolve) => {
    const offs: (() => void)[] = [];
    const done = (): void => {
      for (const off of offs) off();
      resolve();
    };
    offs.push(clock.schedule(done, ms));
    for (const wake of wakes) offs.push(wake(done));
  });
}
