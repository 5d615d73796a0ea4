import { MusterError, type MusterErrorCode } from "@muster/core";

/** A gRPC status, as the gateway writes it into JSON. */
export interface Status {
  /** google.rpc.Code. */
  readonly code: number;
  readonly message: string;
}

/** The codes of google.rpc.Code that we tell apart. */
export const statusCode: {
  readonly deadlineExceeded: 4;
  readonly notFound: 5;
  readonly permissionDenied: 7;
  readonly resourceExhausted: 8;
  readonly failedPrecondition: 9;
  readonly outOfRange: 11;
  readonly unauthenticated: 16;
} = {
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unauthenticated: 16,
};

/** Cancelled, unknown, deadline, aborted, internal, unavailable: another try, or server, may do better. */
const passing: ReadonlySet<number> = new Set([1, 2, 4, 10, 13, 14]);

/** etcd has no code of its own for what is wrong with credentials. */
const authText =
  /user name is empty|authentication failed|invalid auth token|auth store is old|permission denied|user name not found/;
const tokenText = /invalid auth token|auth store is old|user name is empty/;

/** Whether it is worth asking again, or another server. */
export function isPassing({ code, message }: Status): boolean {
  return passing.has(code) || message.includes("too many requests");
}

/** Whether a new token would help. */
export function isStaleToken({ code, message }: Status): boolean {
  return code === statusCode.unauthenticated || tokenText.test(message);
}

/** The coded error for a status that is not expected. */
export function statusError(url: string, status: Status | undefined): MusterError {
  const { code, message } = status ?? { code: 2, message: "refused" };
  const hint = message.includes("permission denied")
    ? "; let the user's role read and write the keys of the store"
    : "";
  return new MusterError(codeFor(code, message), `${url}: ${message} (code ${code})${hint}`, {
    path: url,
  });
}

function codeFor(code: number, message: string): MusterErrorCode {
  if (code === statusCode.unauthenticated || code === statusCode.permissionDenied)
    return "STORE_AUTH";
  if (authText.test(message)) return "STORE_AUTH";
  if (/request is too large|larger than max/.test(message)) return "STORE_TOO_LARGE";
  if (code === statusCode.deadlineExceeded) return "STORE_TIMEOUT";
  if (code === statusCode.resourceExhausted || passing.has(code)) return "STORE_UNAVAILABLE";
  return "STORE_RESPONSE";
}

/** Reads the status out of an answer or a line of a stream; undefined when it holds none. */
export function readStatus(value: unknown): Status | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { code, grpc_code: grpcCode, message, error } = value as Record<string, unknown>;
  const number = typeof code === "number" ? code : grpcCode;
  if (typeof number !== "number") return undefined;
  const text = typeof message === "string" ? message : error;
  return { code: number, message: typeof text === "string" ? text.slice(0, 500) : "no message" };
}
