import { MusterError } from "../errors.ts";
import { formatPlain } from "../plain-data.ts";
import { badRecord } from "./plane-error.ts";

/** Characters a name may have; well above Kubernetes' 253, well below what stores take as a key. */
const maxLength = 512;

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const unprintable = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;

/**
 * Fails unless `value` can be part of a key that is not escaped. Records of others are held to this
 * alone: with a `/` two ids would share a key.
 *
 * @throws MusterError PLANE_NAME
 */
export function checkKeyPart(value: string, what: string): string {
  if (typeof value !== "string" || value.includes("/"))
    throw badName(what, value, "must be text without '/'");
  return value;
}

/** Fails unless `value` is a name to register; segments of event paths are escaped, so `/` is fine. */
export function checkName(value: unknown, what: string, escaped = false): void {
  if (typeof value !== "string") throw badName(what, value, "must be text");
  if (value === "") throw badName(what, value, "must not be empty");
  if (value.length > maxLength)
    throw badName(what, value, `must not be longer than ${maxLength} characters`);
  if (!escaped && value.includes("/")) throw badName(what, value, "must not contain '/'");
  if (unprintable.test(value))
    throw badName(what, value, "must not contain control characters or half characters");
}

/** A name that cannot be part of a key. */
export function badName(what: string, value: unknown, problem: string): MusterError {
  return new MusterError("PLANE_NAME", `${what} ${formatPlain(value)} ${problem}`);
}

/** `value` if it is text, undefined if it is none; PLANE_RECORD for anything else. */
export function checkOptionalText(value: string | undefined, what: string): string | undefined {
  return value === undefined || value === null ? undefined : checkText(value, what);
}

/** `value` if it is text; PLANE_RECORD for anything else. */
export function checkText(value: string, what: string): string {
  if (typeof value === "string") return value;
  throw badRecord(`${what} must be text, not ${formatPlain(value)}`);
}
