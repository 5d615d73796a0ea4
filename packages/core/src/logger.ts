/** Structured fields of a log line; values must be plain data. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where plugins log: one line per change of state, never one per tick. pino's loggers fit. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

const nothing = (): void => undefined;

/** Drops everything: the default where no logger is given. */
export const silentLogger: Logger = Object.freeze({
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
});
