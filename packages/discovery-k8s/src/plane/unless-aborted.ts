import { throwIfAborted } from "@muster/core/plane";

/** The outcome of a call; PLANE_ABORTED when it failed because its caller left. */
export async function unlessAborted<T>(
  what: string,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  throwIfAborted(what, signal);
  try {
    return await call();
  } catch (error) {
    throwIfAborted(what, signal);
    throw error;
  }
}
