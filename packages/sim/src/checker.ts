import { formatPlain, MusterError } from "@muster/core";

/** Bounds of a number, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Checks options one by one and reports all that is wrong at once. */
export interface Checker {
  /** `value`, or `fallback` when it is undefined or wrong. */
  integer(name: string, value: unknown, fallback: number, bounds: Bounds): number;
  number(name: string, value: unknown, fallback: number, bounds: Bounds): number;
  oneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T;
  /** A text of 1..`max` characters without control characters. */
  text(name: string, value: unknown, fallback: string, max?: number): string;
  boolean(name: string, value: unknown, fallback: boolean): boolean;
  /** Reports keys that mean nothing. */
  keys(given: object, allowed: readonly string[]): void;
  problem(name: string, message: string): void;
  /** @throws MusterError CONFIG_INVALID when anything was wrong, with every problem. */
  done(): void;
}

/** Starts a check; `what` begins every message, as in `model server`. */
export function createChecker(what: string): Checker {
  const problems: MusterError[] = [];
  const problem = (name: string, message: string): void => {
    problems.push(new MusterError("CONFIG_INVALID", `${what}: ${name} ${message}`, { path: name }));
  };
  const number: Checker["number"] = (name, value, fallback, { min, max }) => {
    if (value === undefined) return fallback;
    if (typeof value === "number" && value >= min && value <= max) return value;
    problem(name, `must be a number from ${min} to ${max}, not ${shown(value)}`);
    return fallback;
  };
  return {
    number,
    integer(name, value, fallback, bounds) {
      if (value === undefined || Number.isInteger(value))
        return number(name, value, fallback, bounds);
      problem(
        name,
        `must be a whole number from ${bounds.min} to ${bounds.max}, not ${shown(value)}`,
      );
      return fallback;
    },
    oneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
      const found = allowed.find((item) => item === value);
      if (found === undefined && value !== undefined)
        problem(name, `must be one of ${allowed.join(", ")}, not ${shown(value)}`);
      return found ?? (allowed[0] as T);
    },
    text(name, value, fallback, max = 256) {
      if (value === undefined) return fallback;
      if (typeof value === "string" && isPlainText(value, max)) return value;
      problem(name, `must be a text of 1 to ${max} printable characters, not ${shown(value)}`);
      return fallback;
    },
    boolean(name, value, fallback) {
      if (value === undefined || typeof value === "boolean") return value ?? fallback;
      problem(name, `must be true or false, not ${shown(value)}`);
      return fallback;
    },
    keys(given, allowed) {
      for (const key of Object.keys(given))
        if (!allowed.includes(key)) problem(key, `is not known; known are ${allowed.join(", ")}`);
    },
    problem,
    done() {
      const [first] = problems;
      if (first === undefined) return;
      if (problems.length === 1) throw first;
      const message = problems.map((one) => one.message).join("\n");
      throw new MusterError("CONFIG_INVALID", message, { problems });
    },
  };
}

/** Whether `text` has 1..`max` characters and no control characters. */
export function isPlainText(text: string, max: number): boolean {
  return text.length > 0 && text.length <= max && !/\p{Cc}/u.test(text);
}

function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : formatPlain(value);
}
