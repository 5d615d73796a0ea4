import { MusterError } from "../errors.ts";

/** What a caller gets whose signal aborted before its call was done: PLANE_ABORTED. */
export function abortedError(what: string, signal: AbortSignal): MusterError {
  return new MusterError("PLANE_ABORTED", `${what} was aborted by its caller`, {
    cause: signal.reason,
  });
}

/**
 * Throws if the caller does not want it any more.
 *
 * @throws MusterError PLANE_ABORTED
 */
export function throwIfAborted(what: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedError(what, signal);
}
