import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** Every source file the entry loads when it is imported, as JavaScript without comments. */
function loadedBy(entry: string): Map<string, string> {
  const loaded = new Map<string, string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        removeComments: true,
      },
    });
    loaded.set(file, outputText);
    for (const { fileName } of ts.preProcessFile(outputText).importedFiles) {
      if (fileName.startsWith(".")) load(join(dirname(file), fileName));
      else throw new Error(`${file} imports ${fileName}`);
    }
  };
  load(entry);
  return loaded;
}

const entries = [
  "index.ts",
  "prometheus/index.ts",
  "attributes/index.ts",
  "dispatch/index.ts",
  "plane/index.ts",
];

describe("the entries of core", () => {
  it("the root is under 1,000 lines of JavaScript", () => {
    const lines = [...loadedBy(join(src, "index.ts")).values()].join("\n").split("\n");
    expect(lines.filter((line) => line.trim() !== "").length).toBeLessThan(1000);
  });

  it.each(entries)("%s imports nothing but core's own files", (entry) => {
    expect(loadedBy(join(src, entry)).size).toBeGreaterThan(1);
  });

  it("the root loads none of the subpaths", () => {
    const files = [...loadedBy(join(src, "index.ts")).keys()].map((file) =>
      file.slice(src.length + 1),
    );
    expect(files.filter((file) => file.includes("/"))).toEqual([]);
  });
});
