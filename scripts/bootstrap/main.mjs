import { resolve } from "node:path";
import { childEnv } from "./env.mjs";
import { ChildFailed, endLike, run } from "./process.mjs";
import { build, install } from "./workspace.mjs";

const tsx = ["--import", "tsx"];

/**
 * What each root script comes to, once the workspace is ready: arguments for Node.
 *
 * @type {Record<string, { build: boolean, args: string[] }>}
 */
const commands = {
  start: { build: true, args: ["apps/reference/dist/cli.js", "demo"] },
  test: { build: true, args: ["node_modules/vitest/vitest.mjs", "run"] },
  bench: { build: true, args: [...tsx, "benchmarks/src/main.ts"] },
  check: { build: false, args: [...tsx, "scripts/ci/main.ts", "--only", "static"] },
  ci: { build: false, args: [...tsx, "scripts/ci/main.ts"] },
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
    if (command.build) await build(context);
    endLike(
      await run(process.execPath, [...command.args, ...args], { cwd: root, env: context.env }),
    );
  } catch (error) {
    if (!(error instanceof ChildFailed)) throw error;
    say(error.message);
    endLike(error.ended);
  }
}
