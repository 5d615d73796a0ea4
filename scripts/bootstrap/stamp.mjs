import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * One hash over the names and contents of files, so that "nothing changed" needs no other tool.
 *
 * @param {string} root
 * @param {string[]} files absolute paths
 * @returns {string}
 */
export function contentStamp(root, files) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of [...files].sort()) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/**
 * Every file under a folder, in any depth; a folder that does not exist has none.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function filesUnder(folder) {
  return entries(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}

/**
 * The folders of the workspace that have a manifest.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function workspaceFolders(root) {
  const nested = ["packages", "apps", "examples"].flatMap((group) =>
    entries(join(root, group)).map((entry) => join(root, group, entry.name)),
  );
  return [...nested, join(root, "benchmarks"), join(root, "test-servers")].filter((folder) =>
    entries(folder).some((entry) => entry.name === "package.json"),
  );
}

/**
 * Whether the file `mark` holds `stamp`.
 *
 * @param {string} mark
 * @param {string} stamp
 */
export function isStamped(mark, stamp) {
  return read(mark) === stamp;
}

/**
 * Runs `work` unless the file `mark` already holds `stamp`; writes it only after success.
 *
 * @param {string} mark
 * @param {string} stamp
 * @param {() => Promise<void>} work
 * @returns {Promise<boolean>} whether the work had to be done
 */
export async function unlessStamped(mark, stamp, work) {
  if (isStamped(mark, stamp)) return false;
  rmSync(mark, { force: true });
  await work();
  mkdirSync(dirname(mark), { recursive: true });
  writeFileSync(mark, stamp);
  return true;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** @param {string} folder */
function entries(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** @param {unknown} error */
function isMissing(error) {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
