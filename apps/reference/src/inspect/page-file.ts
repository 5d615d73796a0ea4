import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { MusterError, messageOf } from "@muster/core";
import { readBounded, tooLarge } from "./read-bounded.ts";

const gunzipBytes = promisify(gunzip);

/**
 * Reads a saved page, gzipped or not, up to `maxBytes` (inflated).
 *
 * @throws MusterError NOT_FOUND when it cannot be read, SCRAPE_TOO_LARGE when it is larger.
 */
export async function readPageFile(file: string, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readBounded(file, maxBytes, "SCRAPE_TOO_LARGE");
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await gunzipBytes(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw tooLarge(file, maxBytes, "SCRAPE_TOO_LARGE");
    const cause = messageOf(error);
    throw new MusterError("SCRAPE_TRUNCATED", `${file} is not whole gzip data: ${cause}`, {
      cause: error,
    });
  }
}

/** The content type of a saved page, which has lost its header: only OpenMetrics ends in `# EOF`. */
export function guessType(bytes: Uint8Array): string {
  const end = new TextDecoder().decode(bytes.subarray(-16)).trimEnd();
  return /(?:^|\n)# EOF$/.test(end) ? "application/openmetrics-text" : "text/plain";
}
