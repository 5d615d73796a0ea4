import { close, constants, fstat, open, read, type Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { promisify } from "node:util";
import { fsCode } from "./fs-error.ts";
import { maxValueBytes } from "./limits.ts";

/** What tells one state of a file from another without reading it. Times in ms. */
export interface Signature {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Tells a reused inode; 0 where it is not known. */
  readonly birthtimeMs: number;
  /** It took the place of another by compare-and-replace. */
  readonly replaced: boolean;
}

/** Why a file of a bucket is not used. */
export type Refusal = "name" | "symlink" | "not-a-file" | "too-large" | "unreadable";

/** What looking at a file gave. */
export type Look =
  | { readonly type: "gone" }
  | { readonly type: "refused"; readonly reason: Refusal }
  /** It has the signature it had. */
  | { readonly type: "same" }
  /** `value` is undefined when it was not read. */
  | { readonly type: "found"; readonly signature: Signature; readonly value: string | undefined };

const openFile = promisify(open);
const closeFile = promisify(close);
const statFile = promisify(fstat) as (fd: number) => Promise<Stats>;
const readFile = promisify(read) as (
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: null,
) => Promise<{ bytesRead: number }>;

/** A link is not followed, and opening a pipe does not wait for its other end. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const refusals: Readonly<Record<string, Refusal>> = {
  ELOOP: "symlink",
  EMLINK: "symlink",
  ENXIO: "not-a-file",
  EISDIR: "not-a-file",
  EACCES: "unreadable",
  EPERM: "unreadable",
};

/**
 * How a file shows that it replaced another in one step, rather than being created after that was
 * removed: the owner may execute it. Nobody else minds, and a rename leaves no other trace.
 */
const replacedMode = 0o100;

/** Rights of a file that replaces another, before the umask. */
export const replacingMode: number = 0o666 | replacedMode;

/** Times may come back a rounding away from what was set. */
const sameTime = 0.002;

/** Whether two signatures are of one state. */
export function sameSignature(a: Signature, b: Signature): boolean {
  return sameFile(a, b) && a.size === b.size && Math.abs(a.mtimeMs - b.mtimeMs) < sameTime;
}

/** Whether two signatures are of one file, which may have been written to. */
export function sameFile(a: Signature, b: Signature): boolean {
  return a.ino === b.ino && Math.abs(a.birthtimeMs - b.birthtimeMs) < sameTime;
}

/**
 * Reads a file unless its signature is the `known` one. What is not a regular file or is larger than
 * 1 MiB is refused before it is read.
 *
 * @throws the file system's error when it says neither what the file is nor that it is gone
 */
export async function lookAt(path: string, known?: Signature): Promise<Look> {
  let fd: number;
  try {
    fd = await openFile(path, flags);
  } catch (error) {
    const code = fsCode(error) ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return { type: "gone" };
    const reason = Object.hasOwn(refusals, code) ? refusals[code] : undefined;
    if (reason !== undefined) return { type: "refused", reason };
    throw error;
  }
  try {
    return await lookAtOpen(fd, known);
  } finally {
    await closeFile(fd);
  }
}

async function lookAtOpen(fd: number, known: Signature | undefined): Promise<Look> {
  const status = await statFile(fd);
  if (!status.isFile()) return { type: "refused", reason: "not-a-file" };
  if (known && sameSignature(known, signatureOf(status))) return { type: "same" };
  if (status.size > maxValueBytes) return { type: "refused", reason: "too-large" };
  const content = await readAll(fd, status.size);
  if (content === undefined) return { type: "refused", reason: "too-large" };
  return { type: "found", signature: signatureOf(status), value: content.toString("utf8") };
}

/** Reads to the end; undefined when that is too far. The size is not trusted: the file may grow. */
async function readAll(fd: number, size: number): Promise<Buffer | undefined> {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await readFile(fd, buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (length > maxValueBytes) return undefined;
    if (length < buffer.length) return buffer.subarray(0, length);
    buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length)]);
  }
}

/** Looks at a file without opening it. */
export async function glanceAt(path: string, known?: Signature): Promise<Look> {
  const status = await statusOf(path);
  if (status === undefined) return { type: "gone" };
  if (!status.isFile())
    return { type: "refused", reason: status.isSymbolicLink() ? "symlink" : "not-a-file" };
  if (known && sameSignature(known, signatureOf(status))) return { type: "same" };
  return { type: "found", signature: signatureOf(status), value: undefined };
}

/** The status of a file as it is, links not followed; undefined when there is none. */
export async function statusOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = fsCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The signature in a file's status. */
export function signatureOf({ ino, size, mtimeMs, birthtimeMs, mode }: Stats): Signature {
  return { ino, size, mtimeMs, birthtimeMs, replaced: (mode & replacedMode) !== 0 };
}
