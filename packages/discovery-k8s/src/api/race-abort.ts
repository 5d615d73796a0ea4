import { onAbort } from "@muster/core/plane";

/** What `promise` gives; rejects with the signal's reason as soon as that aborts. */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(forget);
  });
}
