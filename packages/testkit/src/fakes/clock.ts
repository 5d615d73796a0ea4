import type { Clock } from "@muster/core";

/** How many callbacks one `advance` may run before it is taken for an endless loop. */
const maxCallbacks = 100_000;

/** A clock that stands still until it is advanced. */
export interface FakeClock extends Clock {
  /** Callbacks that wait for their time. */
  readonly pending: number;
  /**
   * Moves both clocks on by `ms`, running due callbacks in order of time, then of scheduling; between
   * two of them every promise that can settle does. Rejects with what a callback throws.
   */
  advance(ms: number): Promise<void>;
  /** Makes the wall clock jump to `ms` since the epoch; timers and `monotonic` do not notice. */
  setNow(ms: number): void;
}

/** Options of {@link createFakeClock}. */
export interface FakeClockOptions {
  /** Wall clock at the start, ms since the epoch; default 1,700,000,000,000. */
  readonly now?: number | undefined;
}

/** Makes a clock for tests; `monotonic` starts at 0. */
export function createFakeClock(options: FakeClockOptions = {}): FakeClock {
  return new ManualClock(options.now ?? 1_700_000_000_000);
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

class ManualClock implements FakeClock {
  readonly #timers = new Set<Timer>();
  #monotonic = 0;
  #wallOffset: number;

  constructor(now: number) {
    this.#wallOffset = now;
  }

  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(callback: () => void, delay: number): () => void {
    // as setTimeout does, NaN included
    const wait = Math.max(delay || 0, 0);
    const timer = { due: this.#monotonic + wait, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  setNow(ms: number): void {
    this.#wallOffset = ms - this.#monotonic;
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`cannot advance a clock by ${ms} ms`);
    const end = this.#monotonic + ms;
    const settle = createSettler();
    try {
      await settle.now();
      for (let ran = 0, next = this.#due(end); next !== undefined; next = this.#due(end)) {
        if (++ran > maxCallbacks) throw new RangeError(`more than ${maxCallbacks} callbacks ran`);
        this.#monotonic = next.due;
        this.#timers.delete(next);
        next.callback();
        await settle.now();
      }
    } finally {
      settle.close();
    }
    this.#monotonic = end;
  }

  /** The next timer up to `end`: a Set keeps the order of scheduling, so the first of equals wins. */
  #due(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    return next;
  }
}

/** Waits for a message to arrive: a task of its own, before which all promise callbacks have run. */
function createSettler(): { now(): Promise<void>; close(): void } {
  const { port1, port2 } = new MessageChannel();
  let arrived: () => void = () => undefined;
  // Node's own types leave out what its ports share with the web's
  const receiver = port1 as unknown as { onmessage: () => void };
  receiver.onmessage = () => arrived();
  return {
    now: () =>
      new Promise((resolve) => {
        arrived = resolve;
        port2.postMessage(undefined);
      }),
    close: () => port1.close(),
  };
}
