import { mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { MusterError } from "@muster/core";
import { isMissing, storeError } from "./fs-error.ts";

/** One directory at one time; when it is removed and made again it is another one. */
export interface DirectoryState {
  /** Without symbolic links. */
  readonly path: string;
  readonly identity: string;
  /** ms; changes when a name in it comes or goes. */
  readonly mtimeMs: number;
}

/** Where the buckets are. Created on first write, watch or check, with the rights that the umask leaves. */
export class Root {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** The root itself, without symbolic links; undefined when it is not there. */
  async find(): Promise<string | undefined> {
    try {
      return await realpath(this.path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storeError(error, "enter the root", this.path);
    }
  }

  /** Makes the root where it is missing. */
  async ensure(): Promise<string> {
    try {
      await makeDirectory(this.path);
      return await realpath(this.path);
    } catch (error) {
      throw storeError(error, "create the root", this.path);
    }
  }

  /**
   * A bucket's directory; undefined when it is not there.
   *
   * @throws MusterError STORE_UNAVAILABLE also when a symbolic link leads out of the root: files that
   * are no records would be taken for stale ones
   */
  async bucket(name: string): Promise<DirectoryState | undefined> {
    const path = join(this.path, name);
    try {
      const [root, real] = await Promise.all([realpath(this.path), realpath(path)]);
      if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) throw leadsOut(path, real);
      const { dev, ino, birthtimeMs, mtimeMs } = await stat(real);
      return { path: real, identity: `${dev}:${ino}:${birthtimeMs}`, mtimeMs };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storeError(error, "enter the bucket", path);
    }
  }

  /** A bucket's directory, made where it is missing. */
  async ensureBucket(name: string): Promise<DirectoryState> {
    const path = join(this.path, name);
    for (let tries = 3; ; tries--) {
      try {
        await makeDirectory(path);
      } catch (error) {
        if (!isMissing(error) || tries <= 1) throw storeError(error, "create the bucket", path);
      }
      const state = await this.bucket(name);
      if (state) return state;
      // removed again meanwhile
      if (tries <= 1) throw storeError(new Error("it is removed all the time"), "keep", path);
    }
  }
}

/**
 * As `mkdir -p`. Node's own never ends where a directory cannot be made although its parent is there,
 * as in /proc (Node 20).
 */
async function makeDirectory(path: string, mayClimb = true): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isDirectory(path)) return;
    const parent = dirname(path);
    if (!mayClimb || !isMissing(error) || parent === path) throw error;
    await makeDirectory(parent);
    await makeDirectory(path, false);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // why it could not be made says more
    return false;
  }
}

function leadsOut(path: string, real: string): MusterError {
  return new MusterError(
    "STORE_UNAVAILABLE",
    `file store: the bucket ${path} is a symbolic link out of the root, to ${real}; make it a directory`,
    { path },
  );
}
