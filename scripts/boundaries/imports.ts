import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** One module specifier in a source file. */
export interface Import {
  file: string;
  specifier: string;
}

/** Every module specifier in a folder's TypeScript: imports, re-exports, dynamic imports and import types. */
export function importsUnder(folder: string): Import[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .flatMap((name) => {
      const file = join(folder, name);
      const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
      return importedFiles.map(({ fileName }) => ({ file, specifier: fileName }));
    });
}

/** Code that only runs in tests: beside the sources as `x.test.ts` or `x.test-d.ts`, or outside `src/`. */
export function isTestFile(file: string): boolean {
  return /\.test(-d)?\.tsx?$/.test(file) || !file.includes("/src/");
}

/** The package a specifier names: `@muster/core/plane` -> `@muster/core`, `zod/v4` -> `zod`. */
export function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
