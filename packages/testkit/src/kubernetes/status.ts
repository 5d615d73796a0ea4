/** An answer that is a `Status` object: thrown by whatever refuses a request. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  /** Further headers, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    reason: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.headers = headers;
  }
}

/** The `Status` object of a failure. */
export function failure({ code, reason, message, headers }: StatusError): object {
  const retryAfterSeconds = Number(headers["retry-after"] ?? 0);
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(retryAfterSeconds > 0 && { details: { retryAfterSeconds } }),
    code,
  };
}

/** 404 for an object, or for a path that the server does not have. */
export function notFound(what?: string): StatusError {
  const message =
    what === undefined ? "the server could not find the requested resource" : `${what} not found`;
  return new StatusError(404, "NotFound", message);
}

/** 410: what was asked for has been compacted. */
export function expired(why: string): StatusError {
  return new StatusError(410, "Expired", why);
}

/** 504: the revision asked for is yet to come, as after a restore from a backup. */
export function tooNew(asked: string, newest: number): StatusError {
  const message = `Too large resource version: ${asked}, current: ${newest}`;
  return new StatusError(504, "Timeout", message, { "retry-after": "1" });
}

/** 415. */
export function unsupportedMediaType(given: string, accepted: readonly string[]): StatusError {
  return new StatusError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format (${given}) - accepted media types include: ${accepted.join(", ")}`,
  );
}

/** 422. */
export function invalid(what: string, why: string): StatusError {
  return new StatusError(422, "Invalid", `${what} is invalid: ${why}`);
}

/** 400. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

/** 409 because the object has changed meanwhile. */
export function conflict(what: string, why: string): StatusError {
  return new StatusError(409, "Conflict", `Operation cannot be fulfilled on ${what}: ${why}`);
}
