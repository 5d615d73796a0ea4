import { MusterError, type MusterErrorCode } from "@muster/core";
import { quote } from "./quote.ts";

/** The part of a Kubernetes `Status` object that says why a request failed. */
interface StatusBody {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown } | null;
}

/** What was asked, for messages. */
export interface RequestName {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

/** An answer other than success. */
export interface FailedAnswer {
  readonly status: number;
  /** A `Status` object as text, or anything else. */
  readonly body: string;
  /** Value of the `Retry-After` header. */
  readonly retryAfter?: string | undefined;
}

/** HTTP status to code; 5xx and all others stand below. */
const codes: ReadonlyMap<number, MusterErrorCode> = new Map([
  [400, "KUBE_INVALID"],
  [401, "KUBE_AUTH"],
  [403, "KUBE_FORBIDDEN"],
  [404, "KUBE_NOT_FOUND"],
  [405, "KUBE_INVALID"],
  [408, "KUBE_TIMEOUT"],
  [409, "KUBE_CONFLICT"],
  [410, "KUBE_GONE"],
  [413, "KUBE_TOO_LARGE"],
  [415, "KUBE_INVALID"],
  [422, "KUBE_INVALID"],
  [429, "KUBE_UNAVAILABLE"],
  [504, "KUBE_TIMEOUT"],
]);

/** How long the server asked to wait, ms, by the error that stands for its answer. */
const waits = new WeakMap<object, number>();

/**
 * How long the server asked to be left alone, ms (`Retry-After`, or the `Status` object's own word);
 * undefined when it did not say.
 */
export function retryAfterOf(error: unknown): number | undefined {
  return typeof error === "object" && error !== null ? waits.get(error) : undefined;
}

/** The error that stands for an answer other than success. */
export function statusError(
  { method, path }: RequestName,
  { status, body, retryAfter }: FailedAnswer,
): MusterError {
  const code = codes.get(status) ?? (status >= 500 ? "KUBE_UNAVAILABLE" : "KUBE_RESPONSE");
  const said = parseStatus(body);
  const words = status >= 300 && status < 400 ? "a redirect, not followed" : wordsOf(said, body);
  const error = new MusterError(code, `${method} ${path}: ${status} ${words}`);
  const wait = waitOf(retryAfter) ?? waitOf(said?.details?.retryAfterSeconds);
  if (wait !== undefined) waits.set(error, wait);
  return error;
}

/** The error that stands for an `ERROR` event of a watch, a line whose object is a `Status`. */
export function watchError(path: string, object: unknown): MusterError {
  const { code, reason, message, details } = (object ?? {}) as StatusBody;
  const gone = reason === "Expired" || reason === "Gone";
  const status = Number.isInteger(code) ? Number(code) : gone ? 410 : 500;
  // only what is looked at: the rest may be nested deeper than can be written again
  const said = { reason: textOf(reason), message: textOf(message) };
  const seconds = details?.retryAfterSeconds;
  const retryAfter = seconds === undefined ? undefined : String(seconds);
  return statusError(
    { method: "WATCH", path },
    { status, body: JSON.stringify(said), ...(retryAfter !== undefined && { retryAfter }) },
  );
}

/** Seconds; dates, which API servers do not send, say nothing. */
function waitOf(seconds: unknown): number | undefined {
  const wait = typeof seconds === "string" ? Number(seconds.trim() || "x") : seconds;
  return typeof wait === "number" && wait >= 0 ? wait * 1000 : undefined;
}

/** The server's own words. */
function wordsOf(status: StatusBody | undefined, body: string): string {
  const said = textOf(status?.message) ?? textOf(status?.reason) ?? body;
  return quote(said === "{}" ? "" : said);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parseStatus(body: string): StatusBody | undefined {
  try {
    return (JSON.parse(body) as StatusBody | null) ?? undefined;
  } catch {
    // a proxy's page: quoted as it is
    return undefined;
  }
}
