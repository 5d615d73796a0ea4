import { open } from "node:fs/promises";

/**
 * Reads a file up to `limit` bytes; `undefined` when it is larger. Works on what has no size, such
 * as a pipe. Rejects as `open` and `read` do.
 */
export async function readBounded(file: string, limit: number): Promise<Uint8Array | undefined> {
  const handle = await open(file, "r");
  try {
    const buffer = new Uint8Array(limit + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      if (length > limit) return undefined;
    }
  } finally {
    await handle.close();
  }
}
