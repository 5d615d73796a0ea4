import type { Clock } from "@muster/core";

/** Whether `work` settled within `ms`; its rejection is passed on. */
export function withinLimit(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(() => resolve(false), ms);
    work.then(
      () => {
        cancel();
        resolve(true);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
