import { type Clock, MusterError } from "@muster/core";
import { abortedError, onAbort } from "@muster/core/plane";
import type { Fuse } from "./fuse.ts";

/** How long something may take. */
export interface Bound {
  readonly clock: Clock;
  /** ms. */
  readonly timeout: number;
  /** What is waited for, for messages. */
  readonly what: string;
  /** The caller's. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the waiting too; its reason is thrown. */
  readonly lost?: Fuse | undefined;
}

/**
 * Waits for work, but not for ever; what it brings later is dropped.
 *
 * @throws MusterError STORE_TIMEOUT, PLANE_ABORTED, or the reason of `lost`
 */
export function bounded<T>(work: Promise<T>, bound: Bound): Promise<T> {
  const { clock, timeout, what, signal, lost } = bound;
  return new Promise<T>((resolve, reject) => {
    const offs: (() => void)[] = [];
    const settle = (then: () => void): void => {
      for (const off of offs.splice(0)) off();
      then();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const late = (): void =>
      fail(new MusterError("STORE_TIMEOUT", `${what}: not within ${timeout} ms`));
    work.then((value) => settle(() => resolve(value)), fail);
    offs.push(clock.schedule(late, timeout));
    if (signal) offs.push(onAbort(signal, () => fail(abortedError(what, signal))));
    if (lost) offs.push(lost.listen(fail));
  });
}

/** Waits for work as long as there is no reason to give up; the reason is thrown then. */
export function untilLost<T>(work: Promise<T>, lost: Fuse): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const off = lost.listen(reject);
    work.then(resolve, reject).finally(off);
  });
}

/** Waits for work as long as the caller wants it. */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  what: string,
): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const off = onAbort(signal, () => reject(abortedError(what, signal)));
    work.then(resolve, reject).finally(off);
  });
}
