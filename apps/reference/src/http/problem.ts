import { type ErrorCode, isMusterError, messageOf } from "@muster/core";
import type { Context } from "hono";

const statusByCode: Readonly<Record<string, 400 | 401 | 403 | 404 | 503>> = Object.freeze({
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  RUNTIME_STATE: 503,
});

/** An RFC 9457 problem: `type` is the page of the error code, `code` the code itself. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
}

/** Answers with `application/problem+json`. Errors without a known code say nothing of the inside. */
export function problem(context: Context, error: unknown): Response {
  const code: ErrorCode = isMusterError(error) ? error.code : "INTERNAL";
  const status = statusByCode[code] ?? 500;
  const body: Problem = {
    type: `https://github.com/muster-dev/muster/blob/main/docs/errors.md#${code.toLowerCase()}`,
    title: titleOf(status),
    status,
    detail: status === 500 ? "The request failed; the log says why." : messageOf(error),
    code,
  };
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (status === 401) headers["www-authenticate"] = 'Bearer realm="muster"';
  return context.body(JSON.stringify(body), status, headers);
}

function titleOf(status: number): string {
  const titles: Readonly<Record<number, string>> = {
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    503: "Not available",
  };
  return titles[status] ?? "Internal error";
}
