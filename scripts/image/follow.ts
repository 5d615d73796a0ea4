import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { exec } from "../ci/exec.ts";
import { root } from "../workspace.ts";
import { ignores, parseDockerfile, type Stage } from "./dockerfile.ts";

/** The stages of the repository's Dockerfile. */
export function readStages(): Stage[] {
  return parseDockerfile(readFileSync(join(root, "Dockerfile"), "utf8"));
}

/**
 * Does what a stage says without Docker: `folder` stands for the root of its file system, the machine's
 * programs for those of its image. The pnpm on the PATH stands for the one that corepack would get.
 */
export async function followStage({ instructions }: Stage, folder: string): Promise<void> {
  // links would share their modes with the store's files
  const env: Record<string, string> = { npm_config_package_import_method: "copy" };
  let cwd = folder;
  for (const { name, text } of instructions) {
    if (name === "ENV")
      for (const pair of text.split(" "))
        env[pair.replace(/=.*/, "")] = pair.replace(/^[^=]*=/, "");
    else if (name === "WORKDIR") {
      cwd = join(folder, text);
      mkdirSync(cwd, { recursive: true });
    } else if (name === "COPY") copy(text.split(" "), cwd);
    else if (name === "RUN") {
      if (!text.startsWith("corepack "))
        await exec("sh", ["-c", text.replaceAll(/(?<= )\/(?=\w)/g, `${folder}/`)], { cwd, env });
    } else throw new Error(`${name} is not understood in a build stage`);
  }
}

function copy(paths: readonly string[], cwd: string): void {
  const ignored = ignores(readFileSync(join(root, ".dockerignore"), "utf8"));
  const target = join(cwd, paths.at(-1) ?? "");
  for (const path of paths.slice(0, -1)) {
    const source = join(root, path);
    if (!existsSync(source)) throw new Error(`COPY ${path}: there is no such file`);
    cpSync(source, path === "." ? target : join(target, path), {
      recursive: true,
      filter: (file) => !ignored(relative(root, file)),
    });
  }
}
