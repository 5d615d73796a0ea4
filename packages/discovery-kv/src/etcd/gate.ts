import type { Clock, MusterError } from "@muster/core";
import { onAbort } from "@muster/core/plane";

/** Something that many wait for until it is open. */
export class Gate {
  readonly #clock: Clock;
  readonly #waiting = new Set<(error: MusterError | undefined) => void>();
  #isOpen = false;
  #broken: MusterError | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#settle(undefined);
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Whoever waits, now or later, gets this. */
  break(error: MusterError): void {
    this.#isOpen = false;
    this.#broken = error;
    this.#settle(error);
  }

  /** Resolves when it is open; throws what `onTimeout` or `onAbort` make, and what broke it. */
  wait(options: {
    readonly timeout: number;
    readonly onTimeout: () => MusterError;
    readonly signal: AbortSignal | undefined;
    readonly onAbort: () => MusterError;
  }): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#isOpen) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (error: MusterError | undefined): void => {
        this.#waiting.delete(settle);
        cancel();
        unlink();
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#waiting.add(settle);
      const cancel = this.#clock.schedule(() => settle(options.onTimeout()), options.timeout);
      let unlink = (): void => undefined;
      unlink = onAbort(options.signal, () => settle(options.onAbort()));
    });
  }

  #settle(error: MusterError | undefined): void {
    for (const settle of [...this.#waiting]) settle(error);
  }
}
