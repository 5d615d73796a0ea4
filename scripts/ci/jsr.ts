import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packagesIn, root } from "../workspace.ts";
import { bin, exec } from "./exec.ts";

/**
 * Checks that every package can be published to JSR. Deno runs on copies outside the repository: it
 * edits the package.json of a workspace it finds, and resolves packages of one another by their jsr.json.
 */
export async function publishDryRun(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "muster-jsr-"));
  try {
    const members: string[] = [];
    for (const { path, manifest } of packagesIn("packages")) {
      const name = manifest.name.replace(/^.*\//, "");
      const copy = join(folder, name);
      mkdirSync(copy);
      for (const part of ["src", "jsr.json", "README.md"])
        cpSync(join(path, part), join(copy, part), { recursive: true });
      cpSync(join(root, "LICENSE"), join(copy, "LICENSE"));
      members.push(`./${name}`);
    }
    writeFileSync(join(folder, "deno.json"), JSON.stringify({ workspace: members }));
    await exec(bin("deno"), ["publish", "--dry-run", "--allow-dirty"], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
