import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packagesIn, root } from "../workspace.ts";

/** The repository's Markdown pages, relative to its root: the root's, every package's README, and docs/. */
export function docPages(): string[] {
  const atRoot = readdirSync(root).filter((name) => name.endsWith(".md"));
  const readmes = packagesIn("packages", "apps", "examples").map(
    ({ folder }) => `${folder}/README.md`,
  );
  const docs = existsSync(join(root, "docs"))
    ? readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".md"))
        .map((name) => `docs/${name}`)
    : [];
  return [...atRoot, ...readmes, ...docs].filter((page) => existsSync(join(root, page))).sort();
}
