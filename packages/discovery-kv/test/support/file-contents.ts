import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { planeBuckets } from "@muster/core/plane";

/** Every record of a file store's directory, read by hand. */
export async function contentsOf(root: string): Promise<string[]> {
  const paths = await filesOf(root);
  // one that is gone by now shows as something that nobody expects, until the next look
  return Promise.all(paths.map((path) => readFile(path, "utf8").catch(String)));
}

/** The path of every record's file. */
export async function filesOf(root: string): Promise<string[]> {
  const lists = Object.values(planeBuckets).map(async (bucket) => {
    const folder = join(root, bucket);
    // nobody has written to it yet, or it was wiped
    const names = await readdir(folder).catch((): string[] => []);
    return names.filter((name) => !name.startsWith(".")).map((name) => join(folder, name));
  });
  return (await Promise.all(lists)).flat();
}
