import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../workspace.ts";
import { exec } from "./exec.ts";
import { tarballs } from "./tarballs.ts";

/** Installs, compiles and tests the third party's extractor with the packed core and testkit, outside the workspace. */
export async function testThirdParty(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "muster-third-party-"));
  try {
    cpSync(join(root, "examples/third-party-extractor"), folder, {
      recursive: true,
      filter: (path) => !/[/\\](node_modules|dist)$/.test(path),
    });
    const packed = tarballs().filter((file) => /^muster-(core|testkit)-\d/.test(basename(file)));
    const flags = ["--save-dev", "--no-audit", "--no-fund", "--loglevel=error"];
    await exec("npm", ["install", ...flags, ...packed], { cwd: folder });
    await exec("npm", ["test"], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
