import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Where the names of the tables are looked for. */
const entries = [
  "core/src/index.ts",
  "core/src/attributes/index.ts",
  "core/src/dispatch/index.ts",
  "core/src/plane/index.ts",
  "core/src/prometheus/index.ts",
  "discovery-k8s/src/index.ts",
  "discovery-kv/src/index.ts",
  "testkit/src/index.ts",
];

/**
 * Every export of the packages as `name`, every member of their types and classes as `Type.member`,
 * and of unions told apart by `type` every variant as `Union.Variant`, with `Union.Variant.member`.
 */
export function exportedNames(): Set<string> {
  const roots = entries.map((entry) =>
    fileURLToPath(new URL(`../../packages/${entry}`, import.meta.url)),
  );
  const program = ts.createProgram(roots, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ["@muster/source"],
    allowImportingTsExtensions: true,
  });
  const checker = program.getTypeChecker();
  const names = new Set<string>();
  for (const root of roots) {
    const source = program.getSourceFile(root);
    const module = source && checker.getSymbolAtLocation(source);
    for (const symbol of module ? checker.getExportsOfModule(module) : [])
      for (const name of namesOf(checker, symbol)) names.add(name);
  }
  return names;
}

function* namesOf(checker: ts.TypeChecker, symbol: ts.Symbol): Generator<string> {
  const { name } = symbol;
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const type = checker.getDeclaredTypeOfSymbol(target);
  yield name;
  yield* membersOf(name, type);
  if (target.flags & ts.SymbolFlags.Class) yield* membersOf(name, checker.getTypeOfSymbol(target));
  if (!type.isUnion()) return;
  for (const variant of type.types) {
    const tag = variant.getProperty("type");
    const tagType = tag && checker.getTypeOfSymbol(tag);
    if (!tagType?.isStringLiteral()) continue;
    yield `${name}.${tagType.value}`;
    yield* membersOf(`${name}.${tagType.value}`, variant);
  }
}

function* membersOf(name: string, type: ts.Type): Generator<string> {
  for (const member of type.getProperties()) yield `${name}.${member.name}`;
}
