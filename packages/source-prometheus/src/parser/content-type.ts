import { Buffer } from "node:buffer";
import { MusterError } from "@muster/core";
import type { PrometheusPage } from "@muster/core/prometheus";

/** What is known of an answer before its body is parsed. */
export interface PageAnswer {
  readonly contentType?: string | undefined;
  /** Named in errors when given. */
  readonly status?: number | undefined;
}

const formats: ReadonlyMap<string, PrometheusPage["format"]> = new Map([
  // a server that says nothing means the classic format (prometheus/prometheus#15136)
  ["", "text"],
  ["text/plain", "text"],
  ["application/openmetrics-text", "openmetrics"],
] as const);

/**
 * The format of an answer by its Content-Type, and by its first byte where a login page or JSON poses as
 * text.
 *
 * @throws MusterError SCRAPE_CONTENT_TYPE, showing status, type and first bytes.
 */
export function formatOf(bytes: Uint8Array, answer: PageAnswer): PrometheusPage["format"] {
  const mediaType = (answer.contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const format = formats.get(mediaType);
  if (format !== undefined && !looksForeign(bytes)) return format;
  const status = answer.status === undefined ? "" : `status ${answer.status}, `;
  throw new MusterError(
    "SCRAPE_CONTENT_TYPE",
    `not a Prometheus text page: ${status}content-type ${quoteText(answer.contentType ?? "")}, ` +
      `begins ${quoteBytes(bytes)}; check the metrics path${hintOf(mediaType)}`,
  );
}

/** trtllm-serve answers JSON on `/metrics` (aibrix#2004). */
function hintOf(mediaType: string): string {
  return mediaType === "application/json" ? " (trtllm-serve's is /prometheus/metrics)" : "";
}

/** No line of a page begins with `<` or `[`; with `{"name"` one does, but never followed by a colon. */
function looksForeign(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 256));
  return /^(?:\xef\xbb\xbf)?\s*(?:[<[]|\{\s*(?:\}|"[^"]*"\s*:))/.test(start.toString("latin1"));
}

function quoteText(text: string): string {
  return quoteBytes(Buffer.from(text));
}

/** The first 80 bytes, printable ASCII only: text from a server never reaches a terminal raw. */
export function quoteBytes(bytes: Uint8Array): string {
  const shown = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 80));
  const text = JSON.stringify(shown.toString("latin1")).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return bytes.byteLength > 80 ? `${text}...` : text;
}
