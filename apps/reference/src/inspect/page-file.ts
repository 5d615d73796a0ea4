import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { MusterError, messageOf } from "@muster/core";

const gunzipBytes = promisify(gunzip);

/**
 * Reads a saved page, gzipped or not, up to `maxBytes` (inflated).
 *
 * @throws MusterError NOT_FOUND when it cannot be read, SCRAPE_TOO_LARGE when it is larger.
 */
export async function readPageFile(file: string, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readBounded(file, maxBytes);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await gunzipBytes(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw tooLarge(file, maxBytes);
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

async function readBounded(file: string, maxBytes: number): Promise<Uint8Array> {
  // without O_NONBLOCK, opening a pipe that has no writer would wait for ever
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch((error: unknown) => {
    throw new MusterError("NOT_FOUND", `cannot read ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new MusterError("NOT_FOUND", `${file} is not a regular file`);
    const chunks: Uint8Array[] = [];
    // one byte more than allowed tells; the size is not trusted, since the file may be growing
    const bytes = handle.createReadStream({ end: maxBytes, autoClose: false });
    for await (const chunk of bytes) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    if (content.length > maxBytes) throw tooLarge(file, maxBytes);
    return content;
  } finally {
    await handle.close();
  }
}

function tooLarge(file: string, maxBytes: number): MusterError {
  return new MusterError("SCRAPE_TOO_LARGE", `${file} holds more than ${maxBytes} bytes`);
}
