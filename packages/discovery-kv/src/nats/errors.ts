import { type ErrorCode, isMusterError, MusterError, messageOf } from "@muster/core";

/** Of an error of the client library; by name, since two copies of it may be about. */
function named(error: unknown, ...names: string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/** JetStream's own number of an error, such as 10071; 0 for errors that are not JetStream's. */
export function jetStreamCode(error: unknown): number {
  if (!named(error, "JetStreamApiError", "StreamNotFoundError", "ConsumerNotFoundError")) return 0;
  return Number((error as { code?: unknown }).code) || 0;
}

/** What was published had a condition that does not hold. */
export const wrongSequence = 10_071;

/** There is no such stream; publishing into one is only answered by nobody. */
export function isStreamMissing(error: unknown): boolean {
  return jetStreamCode(error) === 10_059;
}

/** The stream's name, or its subjects, belong to a stream that is there, or is being made. */
export function isStreamTaken(error: unknown): boolean {
  return [10_058, 10_065].includes(jetStreamCode(error));
}

/** Nobody listens to the subject: no stream takes it, or JetStream is off. */
export function isUnanswered(error: unknown): boolean {
  return named(error, "JetStreamNotEnabled", "NoResponders") || causedBy(error, "NoResponders");
}

function causedBy(error: unknown, name: string): boolean {
  return error instanceof Error && error.cause !== undefined && named(error.cause, name);
}

/** Turns what the client library throws into one of ours; `what` is what we were about. */
export function toStoreError(error: unknown, what: string): MusterError {
  if (isMusterError(error)) return error;
  const code = codeFor(error);
  return new MusterError(code, `${what}: ${explain(error, code)}`, { cause: error });
}

function codeFor(error: unknown): ErrorCode {
  if (named(error, "AuthorizationError", "UserAuthenticationExpiredError")) return "STORE_AUTH";
  if (named(error, "PermissionViolationError")) return "STORE_AUTH";
  if (causedBy(error, "PermissionViolationError")) return "STORE_AUTH";
  if (/doesn't exist|ENOENT|EACCES/.test(messageOf(error))) return "STORE_CONFIG";
  if (isTlsProblem(error)) return "STORE_TLS";
  if (named(error, "TimeoutError")) return "STORE_TIMEOUT";
  if (/maximum payload|message size exceeds/i.test(messageOf(error))) return "STORE_TOO_LARGE";
  if (jetStreamCode(error) > 0 || isUnanswered(error)) return "STORE_RESPONSE";
  return "STORE_UNAVAILABLE";
}

function isTlsProblem(error: unknown): boolean {
  const { code = "", cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (/^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(String(code)))
    return true;
  // a network's or a resolver's: the words may be part of a host's name
  if (/^E[A-Z_]+$/.test(String(code)) && !String(code).startsWith("ERR_")) return false;
  if (cause !== undefined && cause !== error && isTlsProblem(cause)) return true;
  return /\btls\b|\bssl\b|certificate|PEM/i.test(messageOf(error));
}

function explain(error: unknown, code: ErrorCode): string {
  const said = error === undefined ? "the connection ended" : messageOf(error);
  if (code === "STORE_RESPONSE" && isUnanswered(error))
    return "JetStream does not answer: it is not enabled on the server, or for this account";
  // the library's words for a connection that was closed before the server said anything
  if (said.includes("undefined error")) return "the connection was closed at once";
  return said;
}
