import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packagesIn, readJson, root } from "../workspace.ts";
import { bin, exec } from "./exec.ts";

interface JsrManifest {
  publish: { include: string[] };
}

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
      cpSync(join(root, "LICENSE"), join(copy, "LICENSE"));
      for (const part of readJson<JsrManifest>(join(path, "jsr.json")).publish.include)
        if (part !== "LICENSE") cpSync(join(path, part), join(copy, part), { recursive: true });
      members.push(`./${name}`);
    }
    writeFileSync(join(folder, "deno.json"), JSON.stringify({ workspace: members }));
    await exec(bin("deno"), ["publish", "--dry-run", "--allow-dirty"], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
