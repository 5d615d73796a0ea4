import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The text of docs/kubernetes.md. */
export async function readPage(): Promise<string> {
  const path = fileURLToPath(new URL("../../../../docs/kubernetes.md", import.meta.url));
  return await readFile(path, "utf8");
}

/** The files that it shows, by name; one in a list is indented. */
export async function pageFiles(): Promise<ReadonlyMap<string, string>> {
  const page = await readPage();
  const block = /^( *)<!-- test: file=(\S+) -->\n *```yaml\n([\s\S]*?)^ *```$/gm;
  return new Map(
    [...page.matchAll(block)].map(([, indent = "", name = "", text = ""]) => [
      name,
      text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    ]),
  );
}
