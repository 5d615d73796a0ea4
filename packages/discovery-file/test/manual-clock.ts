import type { Clock } from "@muster/core";
import { expect } from "vitest";

/** A clock whose waits end when the test says so. */
export interface ManualClock extends Clock {
  /** Waits until something waits for exactly `delay` ms. */
  until(delay: number): Promise<void>;
  /** Waits for that, then ends the wait. */
  fire(delay: number): Promise<void>;
}

/** Makes a {@link ManualClock}; its time stands still. */
export function createManualClock(): ManualClock {
  const timers = new Set<{ delay: number; callback: () => void }>();
  const find = (delay: number) => [...timers].find((timer) => timer.delay === delay);
  const until = async (delay: number): Promise<void> => {
    await expect.poll(() => find(delay), { timeout: 10_000, interval: 5 }).toBeDefined();
  };
  return {
    now: () => 0,
    monotonic: () => 0,
    schedule(callback, delay) {
      const timer = { delay, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    until,
    async fire(delay) {
      await until(delay);
      const timer = find(delay);
      if (timer === undefined) throw new Error(`nothing waits for ${delay} ms`);
      timers.delete(timer);
      timer.callback();
    },
  };
}
