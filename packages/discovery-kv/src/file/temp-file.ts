import { constants, type Stats } from "node:fs";
import { copyFile, type FileHandle, link, lstat, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { fsCode, isMissing } from "./fs-error.ts";

/** Names of temporary files, which every process that shares the directory ignores. */
const pattern = /^\.tmp_[\da-f]{16}$/;
const tries = 16;

/** A new file with its content, under a temporary name. */
export interface TempFile {
  readonly path: string;
  /** As it was written; its inode stays when it gets another name. */
  readonly status: Stats;
}

/** Whether a name is one of a temporary file. */
export function isTempName(name: string): boolean {
  return pattern.test(name);
}

/** A path for a temporary file: `.tmp_` and 16 hexadecimal digits. */
export function tempPath(directory: string, id: bigint = randomBits()): string {
  return join(directory, `.tmp_${id.toString(16).padStart(16, "0")}`);
}

function randomBits(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
}

/** Writes a temporary file that was not there; `mode` counts before the umask. */
export async function writeTemp(
  directory: string,
  content: string,
  mode = 0o666,
): Promise<TempFile> {
  const [path, file] = await openNew(directory, mode);
  let written = false;
  try {
    if (content !== "") await file.writeFile(content);
    const status = await file.stat();
    written = true;
    return { path, status };
  } finally {
    await file.close();
    if (!written) await removeFile(path);
  }
}

async function openNew(directory: string, mode: number): Promise<[path: string, file: FileHandle]> {
  for (let left = tries; ; left--) {
    const path = tempPath(directory);
    try {
      return [path, await open(path, "wx", mode)];
    } catch (error) {
      if (fsCode(error) !== "EEXIST" || left <= 1) throw error;
    }
  }
}

/** What a file system says that knows no hard links. */
const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * Gives a temporary file its final name unless that is taken, atomically by a hard link; undefined when
 * it is taken. Where there are no hard links the content is copied into an exclusively created file,
 * which others may see while it is incomplete.
 *
 * @returns the status of the file under its final name
 */
export async function publishNew(temp: TempFile, path: string): Promise<Stats | undefined> {
  try {
    await link(temp.path, path);
    return temp.status;
  } catch (error) {
    const code = fsCode(error) ?? "";
    if (code === "EEXIST") return undefined;
    if (!linkless.has(code)) throw error;
  }
  try {
    await copyFile(temp.path, path, constants.COPYFILE_EXCL);
    return await lstat(path);
  } catch (error) {
    if (fsCode(error) === "EEXIST") return undefined;
    throw error;
  }
}

/** Removes a file; false when there is none. */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
