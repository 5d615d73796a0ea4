import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { MusterError, messageOf } from "@muster/core";
import { maxBytes } from "./limits.ts";

/**
 * What tells one state of a file from another without reading it. Coarse in places (Deno counts ctime
 * in seconds), so equal signatures alone do not prove equal content.
 */
export type Signature = string;

/** What reading the file gave: content, or why there is none. */
export type Reading =
  | {
      readonly content: Uint8Array;
      readonly signature: Signature;
      /** It changed while it was read. */
      readonly torn: boolean;
    }
  | { readonly error: MusterError; readonly signature: Signature };

/** Whether two readings saw the same: the same content, or the same failure. */
export function sameReading(a: Reading, b: Reading): boolean {
  if ("error" in a || "error" in b)
    return "error" in a && "error" in b && a.error.message === b.error.message;
  return !b.torn && Buffer.compare(a.content, b.content) === 0;
}

/** The signature of what `path` leads to now; never rejects. */
export async function signatureOf(path: string): Promise<Signature> {
  try {
    return signature(await stat(path, { bigint: true }));
  } catch (error) {
    return failureSignature(error);
  }
}

/**
 * Reads the file, 4 MiB at most; never rejects. Only regular files are read: opening does not wait
 * for a pipe's other end, and nothing is read from a device.
 */
export async function readRegularFile(path: string): Promise<Reading> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return await readOpen(file, path);
  } catch (cause) {
    const message = `the endpoints file cannot be read: ${messageOf(cause)}`;
    const error = new MusterError("DISCOVERY_READ", message, { path, cause });
    return { error, signature: failureSignature(cause) };
  } finally {
    await file?.close();
  }
}

async function readOpen(file: FileHandle, path: string): Promise<Reading> {
  const before = await file.stat({ bigint: true });
  const seen = signature(before);
  const refuse = (code: "DISCOVERY_READ" | "DISCOVERY_TOO_LARGE", message: string): Reading => ({
    error: new MusterError(code, message, { path }),
    signature: seen,
  });
  if (!before.isFile())
    return refuse("DISCOVERY_READ", `a ${kindOf(before)}, not a file; give the file of endpoints`);
  const content = await readUpTo(file, maxBytes + 1);
  if (content.length > maxBytes)
    return refuse("DISCOVERY_TOO_LARGE", `larger than 4 MiB (${maxBytes} bytes)`);
  const after = await file.stat({ bigint: true });
  return { content, signature: seen, torn: signature(after) !== seen };
}

/** Reads to the end or to `limit`; the size is not trusted, since the file may be growing. */
async function readUpTo(file: FileHandle, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let total = 0; total < limit; ) {
    const chunk = new Uint8Array(Math.min(64 * 1024, limit - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}

interface Status {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

function signature({ dev, ino, size, mtimeNs, ctimeNs }: Status): Signature {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

function failureSignature(error: unknown): Signature {
  return `failed: ${(error as NodeJS.ErrnoException).code ?? messageOf(error)}`;
}

interface Kinds {
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

function kindOf(status: Kinds): string {
  if (status.isDirectory()) return "directory";
  if (status.isFIFO()) return "named pipe";
  return status.isSocket() ? "socket" : "device";
}
