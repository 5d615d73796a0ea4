import { formatPlain, type LogFields, type Logger, silentLogger } from "@muster/core";
import type { Io } from "../cli/io.ts";
import { printable } from "../cli/printable.ts";
import { transientCodes } from "./retry.ts";

/** What of a plane's log a command shows; a watch tells outages itself. */
export type Shown = "changes" | "problems" | "problems but outages";

/** A plane's log as lines for people on standard error. */
export function errorLogger({ err }: Pick<Io, "err">, shown: Shown): Logger {
  const say = (fields: LogFields, message: string): void => {
    if (shown === "problems but outages" && transientCodes.has(String(fields.code))) return;
    err(`${printable(message + detailsOf(fields))}\n`);
  };
  const info = shown === "changes" ? { info: say } : {};
  return { ...silentLogger, ...info, warn: say, error: say };
}

/** Fields as ` (lease: 2a) [STORE_LEASE_LOST]`. */
function detailsOf({ code, store: _, ...fields }: LogFields): string {
  const details = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === "string" ? value : formatPlain(value);
    return `${name}: ${text}`;
  });
  const inBrackets = details.length > 0 ? ` (${details.join(", ")})` : "";
  return code === undefined ? inBrackets : `${inBrackets} [${String(code)}]`;
}
