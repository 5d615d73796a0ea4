import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Hono } from "hono";

const files: Readonly<Record<string, readonly [file: string, type: string]>> = Object.freeze({
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
});

/** Only our own files, and nothing may frame the page. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Paths of the page: they hold no data and need no token. */
export const pagePaths: readonly string[] = Object.freeze(Object.keys(files));

/** Adds the page, read once from the package's `page` folder. */
export function addPage(api: Hono): void {
  const root = dirname(createRequire(import.meta.url).resolve("@muster/app/package.json"));
  for (const [path, [file, type]] of Object.entries(files)) {
    const content = readFileSync(join(root, "page", file), "utf8");
    api.get(path, (context) =>
      context.body(content, 200, {
        "content-type": type,
        "content-security-policy": policy,
        "cache-control": "no-cache",
      }),
    );
  }
}
