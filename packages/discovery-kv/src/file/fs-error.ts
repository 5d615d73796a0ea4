import { type ErrorCode, isMusterError, MusterError, messageOf } from "@muster/core";

/** What to do about an error of the file system, by its code. */
const advice: Readonly<Record<string, string>> = {
  EACCES: "give this user the right to read, write and enter the directory",
  EPERM: "give this user the right to read, write and enter the directory",
  EROFS: "the file system is mounted read-only; choose a directory that can be written",
  ENOSPC: "the disk is full, or has no inodes left; make room",
  EDQUOT: "the quota is used up; make room",
  ENOTDIR: "a part of the path is a file; choose another directory",
  EEXIST: "there is a file of this name; choose another directory",
  ELOOP: "symbolic links lead in a circle; choose another directory",
  EMFILE: "this process has too many files open; raise its limit (ulimit -n)",
  ENFILE: "the system has too many files open; raise its limit",
  ESTALE: "the network file system was lost; mount it again",
  EIO: "the disk or network file system fails; look at the system's log",
};

/** The `code` of an error of `node:fs`, such as `ENOENT`. */
export function fsCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether what was asked for is not there. */
export function isMissing(error: unknown): boolean {
  return fsCode(error) === "ENOENT";
}

/** An error of `node:fs` with a code of ours; `doing` what failed, such as `read the directory`. */
export function storeError(cause: unknown, doing: string, path: string): MusterError {
  if (isMusterError(cause)) return cause;
  const code = fsCode(cause) ?? "";
  const what = Object.hasOwn(advice, code) ? `; ${advice[code]}` : "";
  const ours: ErrorCode = code === "ENAMETOOLONG" ? "STORE_KEY" : "STORE_UNAVAILABLE";
  const message = `file store: cannot ${doing} ${path}: ${messageOf(cause)}${what}`;
  return new MusterError(ours, message, { path, cause });
}
