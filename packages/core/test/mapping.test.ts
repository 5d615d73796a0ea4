import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { seedNames } from "./seed-names.ts";

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

interface Row {
  readonly seed: string;
  /** `Type`, `Type.member`, or a function or value. */
  readonly ours: readonly string[];
  readonly notNeeded: boolean;
}

/** The rows of the mapping table: `` | `Seed.Name` | `ours`, `ours` or "not needed: why" | ``. */
function rows(): Row[] {
  const text = readFileSync(file("../../../ARCHITECTURE.md"), "utf8");
  const section = /^## From llm-d's data layer\n([\s\S]*?)(?=^## )/m.exec(text)?.[1] ?? "";
  return [...section.matchAll(/^\| `([\w.]+)` \| (.*) \|$/gm)].map(([, seed = "", ours = ""]) => ({
    seed,
    ours: [...ours.matchAll(/`([A-Za-z][\w.]*)`/g)].map(([, name = ""]) => name),
    notNeeded: /\bnot needed: \S/.test(ours),
  }));
}

/** Every export of core as `name`, and every member of its types as `Type.member`. */
function coreNames(): Set<string> {
  const entries = ["index", "attributes/index", "dispatch/index", "prometheus/index"];
  const roots = entries.map((entry) => file(`../src/${entry}.ts`));
  const program = ts.createProgram(roots, {
    strict: true,
    noEmit: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
  });
  const checker = program.getTypeChecker();
  const names = new Set<string>();
  for (const root of roots) {
    const source = program.getSourceFile(root);
    const module = source && checker.getSymbolAtLocation(source);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      names.add(symbol.name);
      const target =
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      for (const member of checker.getDeclaredTypeOfSymbol(target).getProperties())
        names.add(`${symbol.name}.${member.name}`);
    }
  }
  return names;
}

describe("the mapping table in ARCHITECTURE.md", () => {
  const table = rows();

  it("has one row for every name of the original, in its order", () => {
    expect(table.map(({ seed }) => seed)).toEqual(seedNames);
  });

  it("says what is ours, or why nothing is needed", () => {
    const empty = table.filter(({ ours, notNeeded }) => ours.length === 0 && !notNeeded);
    expect(empty).toEqual([]);
  });

  it("names nothing that core does not export", () => {
    const exported = coreNames();
    expect(exported.size).toBeGreaterThan(100);
    const unknown = table.flatMap(({ ours }) => ours).filter((name) => !exported.has(name));
    expect(unknown).toEqual([]);
  });
});
