import { type ErrorCode, errorCodes } from "./error-codes.ts";
import { formatTypedName, type TypedName } from "./names.ts";

const brand = Symbol.for("muster.error");

/** What a {@link MusterError} can say beside its message. */
export interface MusterErrorOptions {
  /** The plugin in which it happened. */
  readonly plugin?: TypedName | undefined;
  /** Where: a config path such as `plugins[2].parameters.path`, a file, a URL without credentials. */
  readonly path?: string | undefined;
  readonly cause?: unknown;
  /** Several problems reported as one (START_FAILED, CONFIG_INVALID). */
  readonly problems?: readonly MusterError[] | undefined;
}

/** A {@link MusterError} as JSON. */
export interface MusterErrorJson {
  readonly code: string;
  readonly message: string;
  /** `type/name`. */
  readonly plugin?: string;
  readonly path?: string;
  readonly problems?: readonly MusterErrorJson[];
}

/**
 * The one error class of Muster. `code` is stable and documented in docs/errors.md; the message says
 * what failed, with which value, and what to do. Test with {@link isMusterError}, which also holds
 * for an error made by another copy of this package; `instanceof` does not.
 */
export class MusterError extends Error {
  readonly code: ErrorCode;
  readonly plugin: TypedName | undefined;
  readonly path: string | undefined;
  readonly problems: readonly MusterError[];

  constructor(code: ErrorCode, message: string, options: MusterErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "MusterError";
    this.code = code;
    this.plugin = options.plugin;
    this.path = options.path;
    this.problems = options.problems ?? [];
    Object.defineProperty(this, brand, { value: true });
  }

  /** Plain data for logs and JSON; never the stack or the cause. */
  toJSON(): MusterErrorJson {
    return {
      code: this.code,
      message: this.message,
      ...(this.plugin && { plugin: formatTypedName(this.plugin) }),
      ...(this.path !== undefined && { path: this.path }),
      ...(this.problems.length > 0 && {
        problems: this.problems.map((problem) => problem.toJSON()),
      }),
    };
  }
}

/** Whether `value` is a MusterError of this or another copy of the package. */
export function isMusterError(value: unknown): value is MusterError {
  try {
    return typeof value === "object" && value !== null && brand in value;
  } catch {
    // a proxy may throw whatever is asked of it
    return false;
  }
}

/** The code of an error, or `fallback` when it is not one of ours. */
export function errorCodeOf(value: unknown, fallback: ErrorCode): ErrorCode {
  return isMusterError(value) ? value.code : fallback;
}

/** `value` itself when it is a MusterError, otherwise a new one with `code` and `value` as cause. */
export function toMusterError(
  value: unknown,
  code: ErrorCode,
  options: Omit<MusterErrorOptions, "cause"> = {},
): MusterError {
  if (isMusterError(value)) return value;
  return new MusterError(code, messageOf(value), { ...options, cause: value });
}

/** The text of anything thrown; never throws itself. */
export function messageOf(value: unknown): string {
  try {
    if (value instanceof Error) return String(value.message || value.name);
    return String(value);
  } catch {
    // what throws when it is looked at still has to be reported
    return "a value that cannot be printed was thrown";
  }
}

/** Whether `code` is one of Muster's own. */
export function isMusterErrorCode(code: string): boolean {
  return Object.hasOwn(errorCodes, code);
}
