import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A link in Markdown text, outside code. */
export interface Link {
  line: number;
  target: string;
}

/** How pages that are published with a package lead to others: relative links would break there. */
const published = /^https:\/\/github\.com\/muster-dev\/muster\/(?:blob|tree)\/main\//;

/** Every `[text](target)` of a page that leads into the repository; from its root with a slash. */
export function localLinks(markdown: string): Link[] {
  return prose(markdown)
    .split("\n")
    .flatMap((text, index) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({
        line: index + 1,
        target: match[1]?.replace(published, "/") ?? "",
      })),
    )
    .filter(({ target }) => !/^[a-z][a-z0-9+.-]*:/.test(target));
}

/**
 * The links of a page that lead nowhere: to a file that does not exist, or to a heading it lacks.
 *
 * @param page relative to `root`
 */
export function brokenLinks(root: string, page: string): string[] {
  const markdown = readFileSync(join(root, page), "utf8");
  return localLinks(markdown)
    .filter(({ target }) => {
      const [path = "", anchor] = target.split("#", 2);
      const folder = path.startsWith("/") ? "" : dirname(page);
      const file = path === "" ? join(root, page) : join(root, folder, path);
      if (!existsSync(file)) return true;
      if (!anchor || !file.endsWith(".md")) return false;
      return !anchors(readFileSync(file, "utf8")).has(anchor);
    })
    .map(({ line, target }) => `${page}:${line}: ${target}`);
}

/** The anchors that GitHub gives the headings of a page. */
function anchors(markdown: string): Set<string> {
  const headings = prose(markdown).matchAll(/^#{1,6} +(.*)$/gm);
  const slugs = [...headings].map(([, text = ""]) =>
    text
      .replace(/\]\([^)]*\)/g, "]")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(slugs);
}

/** A page with its code blocks emptied, line by line. */
function prose(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/.+/g, ""));
}
