import { resolve } from "node:path";
import { childEnv } from "./env.mjs";
import { ChildFailed, endLike, run } from "./process.mjs";
import { build, install, withPnpm } from "./workspace.mjs";

const tsx = ["--import", "tsx"];
const onSources = ["--conditions=@muster/source", ...tsx];

/**
 * What each root script comes to, once the workspace is ready: arguments for Node. `pnpm` puts it on
 * the PATH for scripts that call it.
 *
 * @type {Record<string, { build?: "whole" | "to run", pnpm?: true, args?: string[] }>}
 */
const commands = {
  start: { build: "to run", args: ["apps/reference/dist/cli.js", "demo"] },
  test: { pnpm: true, args: ["node_modules/vitest/vitest.mjs", "run"] },
  build: { build: "whole" },
  bench: { build: "to run", args: [...tsx, "benchmarks/src/main.ts"] },
  check: { pnpm: true, args: [...onSources, "scripts/ci/main.ts", "static"] },
  generate: { args: [...onSources, "scripts/generate/main.ts"] },
  format: { args: ["node_modules/@biomejs/biome/bin/biome", "check", "--write", "."] },
  ci: { pnpm: true, args: [...onSources, "scripts/ci/main.ts"] },
};

/**
 * Prepares the workspace as far as needed, then runs a command in it and ends as it ended.
 *
 * @param {string[]} argv the command's name, then its own arguments
 */
export async function main([name = "", ...args]) {
  const command = commands[name];
  if (!command) {
    console.error(
      `muster: unknown command "${name}"; there are ${Object.keys(commands).join(", ")}`,
    );
    process.exitCode = 2;
    return;
  }
  const root = resolve(import.meta.dirname, "../..");
  const started = performance.now();
  const say = (/** @type {string} */ line) =>
    console.error(`muster [${((performance.now() - started) / 1000).toFixed(1)} s] ${line}`);
  const context = { root, env: childEnv(process.env), say };
  try {
    await install(context);
    if (command.build) await build(context, { declarations: command.build === "whole" });
    if (!command.args) return;
    const env = command.pnpm ? await withPnpm(context) : context.env;
    endLike(await run(process.execPath, [...command.args, ...args], { cwd: root, env }));
  } catch (error) {
    if (!(error instanceof ChildFailed)) throw error;
    say(error.message);
    endLike(error.ended);
  }
}
