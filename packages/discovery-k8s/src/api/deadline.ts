import { type Clock, MusterError } from "@muster/core";
import { onAbort } from "@muster/core/plane";

/** What limits a request. */
export interface DeadlineOptions {
  /** For the message. */
  readonly path: string;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** ms. */
  readonly timeout: number;
}

/** A signal that aborts with the caller's, or with KUBE_TIMEOUT when time is up. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** From now on there is no time-out. */
  untimed(): void;
  /** Lets go of everything. */
  clear(): void;
}

/** Starts the time of one request. */
export function createDeadline(clock: Clock, options: DeadlineOptions): Deadline {
  const { path, signal, timeout } = options;
  const controller = new AbortController();
  const untimed = clock.schedule(() => {
    controller.abort(new MusterError("KUBE_TIMEOUT", `${path}: no answer within ${timeout} ms`));
  }, timeout);
  const forget = onAbort(signal, () => controller.abort(signal?.reason));
  const clear = (): void => {
    untimed();
    forget();
  };
  return { signal: controller.signal, untimed, clear };
}
