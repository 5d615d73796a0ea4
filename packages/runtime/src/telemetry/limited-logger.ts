import type { Clock, LogFields, Logger } from "@muster/core";

/** Lines with one message that may be logged per window. */
const burst = 50;
/** ms. */
const window = 10_000;

interface Budget {
  until: number;
  left: number;
  suppressed: number;
}

type Level = keyof Logger;

/**
 * Logs at most 50 lines of one message in 10 s, so that a fleet that fails as a whole does not flood
 * the log. The first line after tells in `suppressed` how many were left out. Messages must be
 * constant texts; what varies belongs in the fields.
 */
export function createLimitedLogger(logger: Logger, clock: Clock): Logger {
  const budgets = new Map<string, Budget>();
  const log =
    (level: Level) =>
    (fields: LogFields, message: string): void => {
      const now = clock.monotonic();
      let budget = budgets.get(message);
      const suppressed = budget?.suppressed ?? 0;
      if (budget === undefined || now >= budget.until) {
        budget = { until: now + window, left: burst, suppressed: 0 };
        budgets.set(message, budget);
        logger[level](suppressed > 0 ? { ...fields, suppressed } : fields, message);
        budget.left -= 1;
      } else if (budget.left > 0) {
        budget.left -= 1;
        logger[level](fields, message);
      } else budget.suppressed += 1;
    };
  return Object.freeze({
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
  });
}
