import { hostPort } from "@muster/core";
import type { ScrapeTarget } from "./transport.ts";

/** The URL of a target, for messages and redirects. */
export function scrapeUrl(target: ScrapeTarget): string {
  return `${target.scheme}://${hostPort(target.address, target.port)}${target.path}`;
}
