import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The repository's folder. */
export const root: string = resolve(import.meta.dirname, "..");

/** Where a package is found: a path in `exports`, or one path per condition. */
export type ExportTarget = string | Readonly<Record<string, string>>;

/** The fields of a package.json that scripts read. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  license?: string;
  type?: string;
  sideEffects?: boolean;
  engines?: { node?: string };
  repository?: { url?: string; directory?: string };
  keywords?: string[];
  files?: string[];
  exports?: Record<string, ExportTarget>;
  publishConfig?: { access?: string; provenance?: boolean; exports?: Record<string, ExportTarget> };
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** One package of the workspace. */
export interface WorkspacePackage {
  /** Relative to the root, as `packages/core`. */
  folder: string;
  path: string;
  manifest: Manifest;
}

/** The packages of some of the workspace's folders, in the order of their names. */
export function packagesIn(...groups: ("packages" | "apps" | "examples")[]): WorkspacePackage[] {
  return groups.flatMap((group) => {
    if (!existsSync(join(root, group))) return [];
    return readdirSync(join(root, group))
      .sort()
      .map((name) => ({ folder: `${group}/${name}`, path: join(root, group, name) }))
      .filter(({ path }) => existsSync(join(path, "package.json")))
      .map((found) => ({
        ...found,
        manifest: readJson<Manifest>(join(found.path, "package.json")),
      }));
  });
}

/** Reads one of the repository's own JSON files, whose shape is known. */
export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
