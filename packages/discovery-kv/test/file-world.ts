import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@muster/core";

/** A clock that can be stopped for good, as a process that was killed. */
export interface MortalClock extends Clock {
  stop(): void;
}

/** Makes a {@link MortalClock} on the system's. */
export function createMortalClock(): MortalClock {
  const timers = new Set<() => void>();
  let stopped = false;
  return {
    ...systemClock,
    schedule(callback, delay) {
      if (stopped) return () => undefined;
      const cancel = systemClock.schedule(() => {
        timers.delete(cancel);
        callback();
      }, delay);
      timers.add(cancel);
      return () => {
        timers.delete(cancel);
        cancel();
      };
    },
    stop() {
      stopped = true;
      for (const cancel of timers) cancel();
    },
  };
}

/** A fresh directory; whoever makes it removes it. */
export function makeDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "file-store-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
