import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { type ErrorCode, MusterError, messageOf } from "@muster/core";

/**
 * Reads a file that is named by whoever runs us, up to `maxBytes`.
 *
 * @throws MusterError NOT_FOUND when it cannot be read or is no file, `code` when it is larger.
 */
export async function readBounded(
  file: string,
  maxBytes: number,
  code: ErrorCode,
): Promise<Uint8Array> {
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
    if (content.length > maxBytes) throw tooLarge(file, maxBytes, code);
    return content;
  } finally {
    await handle.close();
  }
}

/** The error for a file that is too large. */
export function tooLarge(file: string, maxBytes: number, code: ErrorCode): MusterError {
  return new MusterError(code, `${file} holds more than ${maxBytes} bytes`);
}
