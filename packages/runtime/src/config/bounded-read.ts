import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/** ms that the writer of a pipe may take for its next bytes. */
const defaultPatience = 5000;

/** ms between looks at a pipe that has nothing yet. */
const pipePause = 20;

/** Options of {@link readBounded}. */
export interface BoundedReadOptions {
  /** Bytes. */
  readonly limit: number;
  /** ms that the writer of a pipe may take for its next bytes; default 5,000. */
  readonly patience?: number;
}

/**
 * Reads a file up to `limit` bytes; `undefined` when it is larger. Works on what has no size, such
 * as a pipe, but waits for no writer: opening one that has none would wait for ever, in one of the
 * few threads that all file access and name look-ups share. Rejects as `open` and `read` do.
 */
export async function readBounded(
  file: string,
  { limit, patience = defaultPatience }: BoundedReadOptions,
): Promise<Uint8Array | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const buffer = new Uint8Array(limit + 1);
    let length = 0;
    for (;;) {
      const bytesRead = await readSome(handle, buffer.subarray(length), patience);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      if (length > limit) return undefined;
    }
  } finally {
    await handle.close();
  }
}

async function readSome(handle: FileHandle, into: Uint8Array, patience: number): Promise<number> {
  for (let waited = 0; ; waited += pipePause) {
    try {
      return (await handle.read(into, 0, into.length, null)).bytesRead;
    } catch (error) {
      const empty = (error as NodeJS.ErrnoException).code === "EAGAIN";
      if (!empty || waited >= patience) throw error;
      await setTimeout(pipePause);
    }
  }
}
