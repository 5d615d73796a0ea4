import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../workspace.ts";
import { bin, exec } from "./exec.ts";

/** A JavaScript runtime that the portable packages claim to run on. */
export interface Runtime {
  name: string;
  /** The command that runs a file, got from npm where the workspace does not have it. */
  command(): Promise<string[]>;
}

/** The oldest supported Node, the current one, Deno and Bun. */
export const runtimes: readonly Runtime[] = [
  { name: "Node 20", command: () => node("20.20.2") },
  { name: "Node 24", command: () => node("24.21.0") },
  { name: "Deno", command: async () => [bin("deno"), "run", "-A"] },
  { name: "Bun", command: async () => [bin("bun")] },
];

async function node(version: string): Promise<string[]> {
  const major = version.split(".")[0];
  if (process.versions.node.split(".")[0] === major) return [process.execPath];
  const folder = join(root, ".muster", `node-${version}`);
  const program = join(folder, "node_modules", "node", "bin", "node");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}');
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    await exec("npm", ["install", ...quiet, `node@${version}`], { cwd: folder });
  }
  return [program];
}
