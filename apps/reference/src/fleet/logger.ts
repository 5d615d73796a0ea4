import process from "node:process";
import type { Logger } from "@muster/core";
import { type DestinationStream, pino } from "pino";

/**
 * A pino logger writing JSON lines to standard error, so that standard output stays for answers.
 *
 * @param destination where else to write, for tests.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    { level, base: { name: "muster" }, timestamp: pino.stdTimeFunctions.isoTime },
    destination ?? pino.destination({ dest: process.stderr.fd, sync: true }),
  );
}
