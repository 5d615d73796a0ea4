import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../workspace.ts";
import { brokenLinks, localLinks } from "./links.ts";
import { docPages } from "./pages.ts";

it("names a link to a missing file or heading, with its line", () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-links-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "b.md"), "## The `flow`, in short\n");
  const blob = "https://github.com/muster-dev/muster/blob/main";
  const page = `[x](https://a.example) [ok](b.md#the-flow-in-short)\n[no](b.md#flow)\n[no](c.md)\n[ok](${blob}/b.md#the-flow-in-short) [no](${blob}/sub/b.md)\n`;
  writeFileSync(join(folder, "a.md"), `${page}\`\`\`md\n[code](d.md)\n\`\`\`\n`);
  expect(brokenLinks(folder, "a.md")).toEqual([
    "a.md:2: b.md#flow",
    "a.md:3: c.md",
    "a.md:4: /sub/b.md",
  ]);
});

it.each(docPages())("every link in %s leads somewhere", (page) => {
  expect(brokenLinks(root, page)).toEqual([]);
});

it("every invariant in ARCHITECTURE.md links to the test that holds it", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const section = /^## Invariants\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text)?.[1] ?? "";
  const invariants = section.split(/^(?=- |\d+\. )/m).filter((item) => /^(- |\d+\. )/.test(item));
  expect(invariants.length).toBeGreaterThan(0);
  const untested = invariants.filter(
    (item) =>
      !localLinks(item).some(
        ({ target }) => /\.test(-d)?\.ts$/.test(target) && existsSync(join(root, target)),
      ),
  );
  expect(untested).toEqual([]);
});
