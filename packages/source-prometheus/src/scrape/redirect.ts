import { MusterError } from "@muster/core";
import { quoteBytes } from "../parser/content-type.ts";
import { scrapeUrl } from "../transport/scrape-url.ts";
import type { ScrapeTarget, TransportResponse } from "../transport/transport.ts";

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether an answer sends the client elsewhere. */
export function isRedirect(response: TransportResponse): boolean {
  return statuses.has(response.status);
}

/**
 * The target an answer redirects to, on the same origin: scheme, host and port stay as they are, so that
 * neither credentials nor requests go anywhere the target policy and the user have not seen.
 *
 * @throws MusterError SCRAPE_REDIRECT for any other.
 */
export function redirectTarget(target: ScrapeTarget, response: TransportResponse): ScrapeTarget {
  const { location = "" } = response;
  const from = scrapeUrl(target);
  const to = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const path = to && `${to.pathname}${to.search}`;
  if (to?.origin !== new URL(from).origin || to.username !== "" || to.password !== "")
    throw refused(
      target,
      response,
      "only redirects to the same scheme, host and port are followed",
    );
  if (path === undefined || path.length > 2048 || path === target.path)
    throw refused(target, response, "that is no other path");
  return { ...target, path };
}

/** The error for a redirect that is not followed. */
export function refused(
  target: ScrapeTarget,
  response: TransportResponse,
  why: string,
): MusterError {
  const url = scrapeUrl(target);
  const location = quoteBytes(new TextEncoder().encode(response.location ?? ""));
  const message = `${url}: answered ${response.status} with location ${location}: ${why}`;
  return new MusterError("SCRAPE_REDIRECT", message, { path: url });
}
