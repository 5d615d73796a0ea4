import { lstat, readlink, stat } from "node:fs/promises";
import { join, parse, sep } from "node:path";

/** A directory on the way to the file. */
export interface ChainDirectory {
  readonly path: string;
  /** Device and inode, so that a directory put in its place is told from it. */
  readonly identity: string;
  /** The names in it that lead on: a symbolic link, the file itself, or what is missing. */
  readonly names: ReadonlySet<string>;
}

/** How many links are followed before a path counts as a loop, as in Linux (path_resolution(7)). */
const maxLinks = 40;

/**
 * The directories in which something could change where `path` leads: of each symbolic link on the
 * way and of the file at its end. For a ConfigMap's `endpoints.yaml -> ..data/endpoints.yaml` and
 * `..data -> ..2024` these are the mount and `..2024`. Where the way breaks off, the directory that
 * the missing name should be in. `path` must be absolute. Never rejects.
 */
export async function resolveChain(path: string): Promise<readonly ChainDirectory[]> {
  const names = await walk(path);
  const found = await Promise.all(
    [...names].map(async ([directory, inside]) => {
      const identity = await identityOf(directory);
      return { path: directory, identity, names: inside };
    }),
  );
  return found.filter(({ identity }) => identity !== "");
}

async function walk(path: string): Promise<Map<string, Set<string>>> {
  const names = new Map<string, Set<string>>();
  let { root: directory } = parse(path);
  const pending = parts(path.slice(directory.length));
  for (let links = 0; pending.length > 0; ) {
    const name = pending.shift() ?? "";
    const here = join(directory, name);
    const step = name === ".." ? "directory" : await look(here);
    if (step === "directory" && pending.length > 0) {
      directory = here;
      continue;
    }
    names.set(directory, (names.get(directory) ?? new Set()).add(name));
    if (typeof step === "string" || ++links > maxLinks) break;
    const { root } = parse(step.target);
    directory = root || directory;
    pending.unshift(...parts(step.target.slice(root.length)));
  }
  return names;
}

/** What a name is: a link, a directory, or anything else, what is missing or hidden included. */
async function look(path: string): Promise<"directory" | "end" | { readonly target: string }> {
  try {
    const status = await lstat(path);
    if (status.isSymbolicLink()) return { target: await readlink(path) };
    return status.isDirectory() ? "directory" : "end";
  } catch {
    // missing or not to be looked at: the way ends here, and reading the file says why
    return "end";
  }
}

async function identityOf(directory: string): Promise<string> {
  try {
    const { dev, ino } = await stat(directory, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    // gone since: the next look at the chain finds what took its place
    return "";
  }
}

function parts(path: string): string[] {
  return path.split(sep).filter((part) => part !== "" && part !== ".");
}
