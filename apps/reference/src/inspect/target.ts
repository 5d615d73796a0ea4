import { createEndpointMetadata, type EndpointMetadata, MusterError } from "@muster/core";

/** Where the page is: an address to scrape, or a file. */
export type Target =
  | { readonly kind: "url"; readonly metadata: EndpointMetadata }
  | { readonly kind: "file"; readonly file: string };

/**
 * Reads `URL|FILE`. A URL without a path means `/metrics`.
 *
 * @throws MusterError USAGE for a URL that is none, or holds credentials.
 */
export function parseTarget(text: string, labels: Readonly<Record<string, string>>): Target {
  if (!/^https?:/i.test(text)) return { kind: "file", file: text };
  if (!URL.canParse(text)) throw new MusterError("USAGE", `${text} is not a URL`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw new MusterError("USAGE", "give credentials with --bearer-token-file, not in the URL");
  const scheme = url.protocol === "https:" ? "https" : "http";
  const path = url.pathname + url.search;
  return {
    kind: "url",
    metadata: createEndpointMetadata({
      name: "page",
      namespace: "inspect",
      address: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port || (scheme === "https" ? 443 : 80),
      metrics: { scheme, ...(path !== "/" && { path }) },
      labels,
    }),
  };
}
