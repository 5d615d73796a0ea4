import { promisify } from "node:util";
import { gunzip, type InputType, inflate, inflateRaw, type ZlibOptions } from "node:zlib";
import { MusterError, messageOf } from "@muster/core";
import { codeOf } from "./network-error.ts";

type Inflate = (data: InputType, options: ZlibOptions) => Promise<Uint8Array>;

const gunzipBody: Inflate = promisify(gunzip);
const inflateBody: Inflate = promisify(inflate);
const inflateRawBody: Inflate = promisify(inflateRaw);

/** What is known of a body that came compressed. */
export interface EncodedBody {
  readonly encoding: string;
  readonly url: string;
  readonly maxBytes: number;
}

/** Whether the body needs no inflating. */
export function isIdentity(encoding: string | undefined): encoding is undefined {
  return encoding === undefined || encoding === "" || encoding.toLowerCase() === "identity";
}

/**
 * Inflates a gzip or deflate body, stopping as soon as it grows beyond `maxBytes`.
 *
 * @throws MusterError SCRAPE_CONTENT_TYPE for another encoding, SCRAPE_TOO_LARGE, SCRAPE_TRUNCATED when it
 * is cut short or damaged.
 */
export async function inflated(body: Uint8Array, encoded: EncodedBody): Promise<Uint8Array> {
  const { url, maxBytes } = encoded;
  const inflater = inflaterOf(encoded.encoding.trim().toLowerCase(), body);
  if (inflater === undefined)
    throw new MusterError(
      "SCRAPE_CONTENT_TYPE",
      `${url}: content-encoding ${JSON.stringify(encoded.encoding.slice(0, 40))} was not asked for and is not understood`,
      { path: url },
    );
  try {
    return await inflater(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(url, maxBytes, "inflates to");
    const message = `${url}: the compressed page is cut short or damaged: ${messageOf(error)}`;
    throw new MusterError("SCRAPE_TRUNCATED", message, { path: url, cause: error });
  }
}

/** The error for a body beyond the limit. */
export function tooLarge(url: string, maxBytes: number, does = "has"): MusterError {
  const message = `${url}: the page ${does} more than ${maxBytes} bytes; raise maxBodyBytes if that is right`;
  return new MusterError("SCRAPE_TOO_LARGE", message, { path: url });
}

function inflaterOf(encoding: string, body: Uint8Array): Inflate | undefined {
  if (encoding === "gzip" || encoding === "x-gzip") return gunzipBody;
  if (encoding !== "deflate") return undefined;
  // "deflate" means the zlib format (RFC 9110, 8.4.1.2), but many servers send it bare
  const [first = 0, second = 0] = body;
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0 ? inflateBody : inflateRawBody;
}
