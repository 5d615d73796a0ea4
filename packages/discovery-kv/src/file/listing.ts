import { opendir } from "node:fs/promises";
import { MusterError } from "@muster/core";
import { maxFiles } from "./limits.ts";
import { isTempName } from "./temp-file.ts";

/** What a bucket's directory holds, by name. */
export interface Listing {
  /** May be records: neither hidden nor a directory. */
  readonly names: ReadonlySet<string>;
  /** Left while they were written, or being written. */
  readonly temps: ReadonlySet<string>;
}

/**
 * Lists a bucket's directory. Other buckets in it and hidden files are left out.
 *
 * @throws MusterError STORE_TOO_LARGE when it holds more than 100,000 files, and the file system's
 * errors
 */
export async function listFiles(path: string): Promise<Listing> {
  const names = new Set<string>();
  const temps = new Set<string>();
  for await (const entry of await opendir(path, { bufferSize: 1024 })) {
    if (entry.isDirectory()) continue;
    if (!entry.name.startsWith(".")) names.add(entry.name);
    else if (isTempName(entry.name)) temps.add(entry.name);
    if (names.size + temps.size > maxFiles)
      throw new MusterError(
        "STORE_TOO_LARGE",
        `file store: ${path} holds more than ${maxFiles} files; remove what does not belong there`,
        { path },
      );
  }
  return { names, temps };
}
