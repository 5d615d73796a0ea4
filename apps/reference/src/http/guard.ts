import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { MusterError } from "@muster/core";
import type { MiddlewareHandler } from "hono";
import { pagePaths } from "./page.ts";

/** Who may ask the API. */
export interface GuardOptions {
  /** Bearer token; unset: no token is asked for. */
  readonly token?: string | undefined;
  /** Whether `/metrics` needs no token. Default false. */
  readonly openMetrics?: boolean | undefined;
}

const alwaysOpen: ReadonlySet<string> = new Set(["/healthz", "/readyz", ...pagePaths]);

/**
 * Asks for the bearer token where there is one. Without a token (loopback only) it refuses requests
 * whose Host is a foreign name, so that a web page cannot reach the API by DNS rebinding. The page
 * at `/` holds no data and is always open; it asks for the token itself.
 */
export function createGuard(options: GuardOptions): MiddlewareHandler {
  const expected = options.token === undefined ? undefined : digest(options.token);
  return async (context, next) => {
    if (expected === undefined) checkHost(context.req.header("host"));
    else if (!isOpen(context.req.path, options))
      checkToken(context.req.header("authorization"), expected);
    await next();
  };
}

/** Whether `host` can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isOpen(path: string, options: GuardOptions): boolean {
  return alwaysOpen.has(path) || (path === "/metrics" && options.openMetrics === true);
}

function checkHost(header: string | undefined): void {
  const host = (header ?? "")
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  if (isLoopback(host) || host.endsWith(".localhost")) return;
  throw new MusterError(
    "FORBIDDEN",
    "This server answers to loopback names only; to be reached by others it needs a token (server.token).",
  );
}

function checkToken(header: string | undefined, expected: Buffer): void {
  const given = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
  throw new MusterError(
    "UNAUTHORIZED",
    given === undefined
      ? "Send the header `Authorization: Bearer TOKEN`."
      : "The token is not the right one.",
  );
}

/** Equal length for all tokens, so that comparing takes equal time. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
