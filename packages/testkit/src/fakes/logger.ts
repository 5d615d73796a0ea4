import type { LogFields, Logger } from "@muster/core";

/** One line of a {@link RecordingLogger}. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: LogFields;
  readonly message: string;
}

/** A logger that keeps its lines. */
export interface RecordingLogger extends Logger {
  /** In the order logged. */
  readonly lines: readonly LogLine[];
}

/** Makes a logger for tests. */
export function createRecordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  const log =
    (level: LogLine["level"]) =>
    (fields: LogFields, message: string): void => {
      lines.push({ level, fields, message });
    };
  return {
    lines,
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
  };
}
