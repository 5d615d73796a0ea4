import { setTimeout } from "node:timers/promises";

/** Share of the process's time for large answers; polls and everything else have the rest. */
const share = 0.2;

/** What {@link Turns} measures and waits with, in ms. */
export interface TurnsClock {
  now(): number;
  wait(ms: number): Promise<unknown>;
}

/** Makes large answers one after another, with pauses in between that grow with the work. */
export class Turns {
  readonly #clock: TurnsClock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: TurnsClock = { now: () => performance.now(), wait: setTimeout }) {
    this.#clock = clock;
  }

  /** Does the work when its turn comes. */
  take<T>(work: () => T): Promise<T> {
    const done = this.#last.then(() => {
      const started = this.#clock.now();
      const result = work();
      return { result, pause: (this.#clock.now() - started) * (1 / share - 1) };
    });
    this.#last = done.then(
      ({ pause }) => this.#clock.wait(pause),
      () => undefined,
    );
    return done.then(({ result }) => result);
  }
}
