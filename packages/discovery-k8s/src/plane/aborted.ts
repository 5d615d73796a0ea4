import { MusterError } from "@muster/core";

/** What a caller gets whose signal aborted before its call was done. */
export function abortedError(what: string, signal: AbortSignal): MusterError {
  return new MusterError("PLANE_ABORTED", `${what} was aborted by its caller`, {
    cause: signal.reason,
  });
}

/** The outcome of a call; PLANE_ABORTED when it failed because its caller left. */
export async function unlessAborted<T>(
  what: string,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const check = (): void => {
    if (signal?.aborted === true) throw abortedError(what, signal);
  };
  check();
  try {
    return await call();
  } catch (error) {
    check();
    throw error;
  }
}
