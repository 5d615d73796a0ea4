import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packagesIn, root } from "../workspace.ts";

/** A folder outside the repository in which every workspace package and its dependencies can be imported by name. */
export function createSandbox(): string {
  const folder = mkdtempSync(join(tmpdir(), "muster-docs-"));
  const modules = join(folder, "node_modules");
  for (const { path, manifest } of packagesIn("packages", "apps")) {
    link(path, join(modules, manifest.name));
    for (const name of Object.keys(manifest.dependencies ?? {}))
      link(join(path, "node_modules", name), join(modules, name));
  }
  link(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const compilerOptions = { isolatedDeclarations: false, declaration: false };
  const base = join(root, "tsconfig.base.json");
  const config = { extends: base, compilerOptions, include: ["*/block.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return folder;
}

function link(target: string, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Type-checks every `block.ts` of a sandbox; gives the messages by folder, each with its line. */
export function typeCheck(sandbox: string): Map<string, { line: number; message: string }[]> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", sandbox, "--pretty", "false"];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: sandbox });
  const found = new Map<string, { line: number; message: string }[]>();
  for (const text of stdout.split("\n").filter((line) => line !== "")) {
    const [, name, line, message] = /^([^/(]+)\/block\.ts\((\d+),\d+\): (.*)$/.exec(text) ?? [];
    // Continuation lines are indented; anything else is not about a block and concerns all of them.
    if (name && message)
      found.set(name, [...(found.get(name) ?? []), { line: Number(line), message }]);
    else if (!text.startsWith(" "))
      for (const all of readdirSync(sandbox)) found.set(all, [{ line: 1, message: text }]);
  }
  return found;
}

/** How a block ended. */
export interface BlockResult {
  output: string;
  /** Exit code; `undefined` when it was stopped at its `until` line, `"timeout"` when it took too long. */
  ended: number | string | undefined;
}

/**
 * Runs a folder's `block.ts` on the sources of the workspace.
 *
 * @param until stops the block, as a success, when its output matches
 */
export async function runBlock(
  folder: string,
  { until, timeoutMs }: { until?: RegExp | undefined; timeoutMs: number },
): Promise<BlockResult> {
  const tsx = createRequire(import.meta.url).resolve("tsx");
  const args = ["--import", tsx, "--conditions=@muster/source", "block.ts"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let ended: BlockResult["ended"] = "timeout";
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
    if (!until?.test(output)) return;
    ended = undefined;
    child.kill("SIGTERM");
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...end) => resolve(end));
  });
  clearTimeout(timer);
  if (ended === undefined) return { output, ended };
  return { output, ended: signal === "SIGKILL" ? "timeout" : (code ?? signal ?? undefined) };
}
