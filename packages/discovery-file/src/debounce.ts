import type { Clock } from "@muster/core";

/** Options of {@link createDebounce}; times in ms. */
export interface DebounceOptions {
  readonly clock: Clock;
  /** How long no further call must come. */
  readonly quiet: number;
  /** The longest time from the first call on, so that a burst without end still gets through. */
  readonly max: number;
  readonly run: () => void;
}

/** Turns a burst of calls into one. */
export interface Debounce {
  call(): void;
  /** Forgets calls that have not led to a run. */
  cancel(): void;
}

/** Makes a {@link Debounce}. */
export function createDebounce({ clock, quiet, max, run }: DebounceOptions): Debounce {
  let cancel: (() => void) | undefined;
  let deadline = 0;
  const stop = (): void => {
    cancel?.();
    cancel = undefined;
  };
  return {
    cancel: stop,
    call(): void {
      const now = clock.monotonic();
      if (cancel === undefined) deadline = now + max;
      stop();
      cancel = clock.schedule(
        () => {
          cancel = undefined;
          run();
        },
        Math.min(quiet, deadline - now),
      );
    },
  };
}
