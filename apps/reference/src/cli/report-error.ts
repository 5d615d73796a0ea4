import { isMusterError, MusterError, messageOf } from "@muster/core";
import { exit, type Io } from "./io.ts";
import { printable } from "./printable.ts";

const usageCodes: ReadonlySet<string> = new Set([
  "USAGE",
  "CONFIG_INVALID",
  "CONFIG_PARSE",
  "CONFIG_READ",
  "CONFIG_TOO_LARGE",
  "PLANE_CARD",
  "PLANE_NAME",
  "START_FAILED",
  "STORE_CONFIG",
  "STORE_URL",
]);

/** Prints what went wrong, each problem on its line, and gives the exit code for it. */
export function reportError(error: unknown, io: Io): number {
  if (!isMusterError(error)) {
    io.err(
      `muster: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`,
    );
    return exit.failed;
  }
  const lines = error.problems.length > 0 ? error.problems.map(problemLine) : [problemLine(error)];
  io.err(`${lines.join("\n")}\n`);
  return usageCodes.has(error.code) ? exit.usage : exit.failed;
}

/** What is wrong with the value of an option is a wrong argument, whatever it would be elsewhere. */
export function wrongOption(option: string, error: unknown): MusterError {
  return new MusterError("USAGE", `${option}: ${messageOf(error)}`, { cause: error });
}

/** One problem on one line: where, what, and its code. Messages may quote text from outside. */
export function problemLine(error: MusterError): string {
  const { path, message } = error;
  const where = path && !message.startsWith(path) ? `${path}: ` : "";
  return printable(`${where}${message} [${error.code}]`);
}
