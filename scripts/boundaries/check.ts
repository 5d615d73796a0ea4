import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { type Import, importsUnder, isTestFile, packageOf } from "./imports.ts";
import { type Boundary, corePeerRange } from "./table.ts";

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Package {
  folder: string;
  path: string;
  manifest: Manifest;
  boundary: Boundary;
}

const scope = "@muster/";
const vague = new Set(["utils", "helpers", "common", "shared"]);
/** Test tools that the root of the workspace provides. */
const rootTools = new Set(["vitest", "fast-check", "typescript"]);

/**
 * Holds every package of a workspace against the table of boundaries, in its source and in its manifest.
 *
 * @returns one line per violation, empty when there is none
 */
export function checkBoundaries(root: string, table: Readonly<Record<string, Boundary>>): string[] {
  const folders = readdirSync(join(root, "packages")).filter((folder) =>
    existsSync(join(root, "packages", folder, "package.json")),
  );
  return folders.sort().flatMap((folder) => {
    const boundary = Object.hasOwn(table, folder) ? table[folder] : undefined;
    if (vague.has(folder)) return [`packages/${folder}: "${folder}" says nothing, name its idea`];
    if (!boundary) return [`packages/${folder}: no row in the table of boundaries`];
    const path = join(root, "packages", folder);
    const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest;
    const checked = { folder, path, manifest, boundary };
    const imports = importsUnder(path).flatMap((found) => {
      const problem = checkImport(checked, found);
      return problem ? [`${relative(root, found.file)}: ${problem}`] : [];
    });
    return [
      ...checkManifest(checked).map((problem) => `packages/${folder}/package.json: ${problem}`),
      ...imports,
    ];
  });
}

function checkManifest({ folder, manifest, boundary }: Package): string[] {
  const problems: string[] = [];
  if (manifest.name !== scope + folder)
    problems.push(`is named ${manifest.name}, its folder says ${scope}${folder}`);
  const published = {
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  };
  for (const name of Object.keys(published))
    if (!isAllowed(name, boundary))
      problems.push(`depends on ${name}, the table does not allow it`);
  const peer = manifest.peerDependencies?.[`${scope}core`];
  if (boundary.workspace.includes("core") && peer !== corePeerRange)
    problems.push(`takes ${scope}core as ${peer ?? "no peer"}, not as peer ${corePeerRange}`);
  if (folder === "core")
    for (const name of Object.keys(manifest.devDependencies ?? {}))
      if (name.startsWith(scope)) problems.push(`core develops against ${name}: a cycle`);
  return problems;
}

function checkImport(checked: Package, { file, specifier }: Import): string | undefined {
  if (specifier.startsWith(".")) {
    const inside = !relative(checked.path, resolve(dirname(file), specifier)).startsWith("..");
    const isConfig = /\/(tsup|vitest)\.config\.ts$/.test(file);
    return inside || isConfig ? undefined : `reaches out of its package: ${specifier}`;
  }
  if (isBuiltin(specifier)) {
    if (!specifier.startsWith("node:")) return `imports ${specifier} without node:`;
    const allowed = isTestFile(file) || mayUseNode(checked, file);
    return allowed ? undefined : `imports ${specifier} in a portable package`;
  }
  const name = packageOf(specifier);
  if (name === checked.manifest.name) return undefined;
  return isTestFile(file) ? checkTestImport(checked, name) : checkSourceImport(checked, name);
}

function mayUseNode({ path, boundary }: Package, file: string): boolean {
  if (!boundary.portable) return true;
  const { nodeFolder } = boundary;
  return nodeFolder !== undefined && !relative(join(path, nodeFolder), file).startsWith("..");
}

function checkSourceImport({ manifest, boundary }: Package, name: string): string | undefined {
  if (!isAllowed(name, boundary)) return `imports ${name}, the table does not allow it`;
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
  return Object.hasOwn(declared, name)
    ? undefined
    : `imports ${name}, package.json does not declare it`;
}

function checkTestImport({ manifest }: Package, name: string): string | undefined {
  if (rootTools.has(name)) return undefined;
  const declared = {
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.devDependencies,
  };
  return Object.hasOwn(declared, name)
    ? undefined
    : `a test imports ${name}, package.json does not declare it`;
}

function isAllowed(name: string, { workspace, npm }: Boundary): boolean {
  return name.startsWith(scope) ? workspace.includes(name.slice(scope.length)) : npm.includes(name);
}
