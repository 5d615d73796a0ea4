import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packagesIn, root } from "../workspace.ts";
import { bin, exec } from "./exec.ts";

const folder = join(root, ".muster", "tarballs");

/** Packs every published package as it would be published; they must have been built. */
export async function packAll(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, manifest } of packagesIn("packages", "apps"))
    if (!manifest.private)
      await exec("pnpm", ["pack", "--pack-destination", folder], { cwd: path, capture: true });
}

/** The tarballs that {@link packAll} made, as absolute paths. */
export function tarballs(): string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Lints what would be published, and resolves its types as consumers do. */
export async function lintTarballs(): Promise<void> {
  const problems: string[] = [];
  for (const tarball of tarballs()) {
    const checks = [exec(bin("publint"), ["run", "--strict", tarball])];
    // The app is a command: it exports nothing whose types could be resolved.
    if (!/muster-app-/.test(tarball))
      checks.push(exec(bin("attw"), [tarball, "--profile", "esm-only"]));
    for (const result of await Promise.allSettled(checks))
      if (result.status === "rejected") problems.push(String(result.reason));
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}
