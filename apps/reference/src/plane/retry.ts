import { delay, errorCodeOf, isMusterError, MusterError, systemClock } from "@muster/core";
import type { WaitOptions } from "@muster/core/plane";
import type { Io } from "../cli/io.ts";
import { problemLine } from "../cli/report-error.ts";

/** ms between attempts: the first, doubled up to the last. */
const pauses = { first: 250, last: 5000 } as const;

/** Codes of what passes when the store is back. */
export const transientCodes: ReadonlySet<string> = new Set([
  ...["STORE_UNAVAILABLE", "STORE_TIMEOUT", "KUBE_UNAVAILABLE", "KUBE_TIMEOUT"],
]);

/** For how long, and whose standard error is told. */
export interface RetryOptions {
  /** Give up then; ms on the monotonic clock. One that is past allows one attempt, however long. */
  readonly deadline: number;
  readonly io: Pick<Io, "err" | "signal">;
  /** Of the store, for messages. */
  readonly store: string;
  /** Asked before each attempt: it knows at once that the store is away, where an attempt tries for long. */
  readonly check?: ((options: WaitOptions) => Promise<void>) | undefined;
}

/**
 * Does something that needs the store, again and again while the store cannot be reached.
 *
 * @throws MusterError the last one when time is up, any other at once, PLANE_ABORTED when interrupted.
 */
export async function retryWhileAway<T>(
  action: () => Promise<T>,
  { deadline, io, store, check }: RetryOptions,
): Promise<T> {
  const attempt = async (): Promise<T> => {
    await check?.({ signal: io.signal }).catch(throwIfAway);
    return await action();
  };
  let told = "";
  let last: unknown;
  for (let pause: number = pauses.first; ; pause = Math.min(pause * 2, pauses.last)) {
    try {
      const result = await beforeDeadline(attempt(), deadline);
      if (told !== "") io.err(`${store} answers\n`);
      return result;
    } catch (error) {
      if (io.signal.aborted) throw interrupted(error);
      if (error === expired) throw last ?? tooLate(store);
      if (!transientCodes.has(errorCodeOf(error, "INTERNAL")) || isOver(deadline)) throw error;
      const line = isMusterError(error) ? problemLine(error) : "";
      const left = deadline - systemClock.monotonic();
      if (line !== told)
        io.err(`waiting for ${store}, ${Math.ceil(left / 1000)} s more: ${line}\n`);
      told = line;
      last = error;
      await delay(systemClock, Math.min(pause, left), io.signal);
      if (io.signal.aborted) throw interrupted(error);
      if (isOver(deadline)) throw error;
    }
  }
}

/** Anything else may be a matter of the question alone, which may need rights of its own. */
function throwIfAway(error: unknown): void {
  if (transientCodes.has(errorCodeOf(error, "INTERNAL"))) throw error;
}

function interrupted(cause: unknown): MusterError {
  return new MusterError("PLANE_ABORTED", "interrupted while the store was away", { cause });
}

function tooLate(store: string): MusterError {
  return new MusterError("STORE_TIMEOUT", `${store} has not answered within the time to connect`);
}

/** Timers may fire a moment early. */
function isOver(deadline: number): boolean {
  return deadline - systemClock.monotonic() < 2;
}

const expired = Symbol("expired");

/** What comes later is not waited for: whoever gives up closes the store. */
function beforeDeadline<T>(attempt: Promise<T>, deadline: number): Promise<T> {
  if (isOver(deadline)) return attempt;
  return new Promise((resolve, reject) => {
    const left = deadline - systemClock.monotonic();
    const cancel = systemClock.schedule(() => reject(expired), left);
    attempt.then(resolve, reject).finally(cancel);
  });
}
