import { delay, errorCodeOf, isMusterError, MusterError, systemClock } from "@muster/core";
import type { Io } from "../cli/io.ts";
import { problemLine } from "../cli/report-error.ts";

/** ms between attempts: the first, doubled up to the last. */
const pauses = { first: 250, last: 5000 } as const;

/** Codes of what passes when the store is back. */
export const transientCodes: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "STORE_TIMEOUT"]);

/** For how long, and whose standard error is told. */
export interface RetryOptions {
  /** Give up then; ms on the monotonic clock. */
  readonly deadline: number;
  readonly io: Pick<Io, "err" | "signal">;
  /** Of the store, for messages. */
  readonly store: string;
}

/**
 * Does something that needs the store, again and again while the store cannot be reached.
 *
 * @throws MusterError the last one when time is up, any other at once, PLANE_ABORTED when interrupted.
 */
export async function retryWhileAway<T>(
  action: () => Promise<T>,
  { deadline, io, store }: RetryOptions,
): Promise<T> {
  let told = "";
  for (let pause: number = pauses.first; ; pause = Math.min(pause * 2, pauses.last)) {
    try {
      const result = await action();
      if (told !== "") io.err(`${store} answers\n`);
      return result;
    } catch (error) {
      const left = deadline - systemClock.monotonic();
      if (io.signal.aborted) throw interrupted(error);
      if (!transientCodes.has(errorCodeOf(error, "INTERNAL")) || left <= 0) throw error;
      const line = isMusterError(error) ? problemLine(error) : "";
      if (line !== told)
        io.err(`waiting for ${store}, ${Math.ceil(left / 1000)} s more: ${line}\n`);
      told = line;
      await delay(systemClock, Math.min(pause, left), io.signal);
      if (io.signal.aborted) throw interrupted(error);
    }
  }
}

function interrupted(cause: unknown): MusterError {
  return new MusterError("PLANE_ABORTED", "interrupted while the store was away", { cause });
}
