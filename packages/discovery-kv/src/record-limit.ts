import { MusterError } from "@muster/core";

/** Most records that are read at once, or held by a watch; far more than a fleet has. */
export const maxRecords = 1_000_000;

/**
 * Throws unless there is room for one more beside so many.
 *
 * @throws MusterError STORE_TOO_LARGE
 */
export function checkRoom(present: number, where: string): void {
  if (present >= maxRecords)
    throw new MusterError("STORE_TOO_LARGE", `more than ${maxRecords} records ${where}`);
}
