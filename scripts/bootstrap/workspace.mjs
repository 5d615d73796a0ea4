import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runStep } from "./process.mjs";
import { contentStamp, filesUnder, isStamped, unlessStamped, workspaceFolders } from "./stamp.mjs";

/** @typedef {{ root: string, env: NodeJS.ProcessEnv, say: (line: string) => void }} Context */

/**
 * Gets the pnpm that package.json pins into `.muster/`, its tarball checked against the pinned hash.
 *
 * @param {Context} context
 * @returns {Promise<NodeJS.ProcessEnv>} the environment in which that pnpm comes first (turbo looks for it there)
 */
export async function withPnpm({ root, env, say }) {
  const { version, integrity } = pinnedPnpm(root);
  const folder = join(root, ".muster", `pnpm-${version}`);
  await unlessStamped(join(folder, ".done"), integrity, async () => {
    say(`getting pnpm ${version} (into .muster/, once)`);
    mkdirSync(folder, { recursive: true });
    const dependencies = { pnpm: version };
    const pnpm = { version, integrity, bin: { pnpm: "bin/pnpm.cjs" } };
    const packages = { "": { dependencies }, "node_modules/pnpm": pnpm };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
    writeFileSync(
      join(folder, "package-lock.json"),
      JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
    );
    const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    const { command, args } = npm(env, ["ci", ...quiet]);
    await runStep("getting pnpm", command, args, { cwd: folder, env });
  });
  const path = join(folder, "node_modules", ".bin") + delimiter + (env.PATH ?? "");
  return { ...env, PATH: path };
}

/**
 * Installs the workspace from the lock file, unless that has been done for the same lock file and manifests.
 *
 * @param {Context} context
 */
export async function install(context) {
  const { root, say } = context;
  const manifests = [root, ...workspaceFolders(root)].map((folder) => join(folder, "package.json"));
  const locks = ["pnpm-lock.yaml", "pnpm-workspace.yaml"].map((name) => join(root, name));
  // Inside node_modules, so that removing node_modules removes the mark too.
  const mark = join(root, "node_modules", ".muster-installed");
  await unlessStamped(mark, contentStamp(root, [...manifests, ...locks]), async () => {
    const env = await withPnpm(context);
    say("installing dependencies");
    const args = ["install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only"];
    await runStep("installing dependencies", "pnpm", args, { cwd: root, env });
  });
}

/**
 * Builds the packages and the app, unless that has been done for the same sources. Declarations take
 * most of the time and nothing that only runs needs them.
 *
 * @param {Context} context
 * @param {{ declarations: boolean }} options
 */
export async function build(context, { declarations }) {
  const { root, say } = context;
  const folders = workspaceFolders(root).filter((folder) =>
    existsSync(join(folder, "tsup.config.ts")),
  );
  const sources = folders.flatMap((folder) => [
    ...["package.json", "tsconfig.json", "tsup.config.ts"].map((name) => join(folder, name)),
    ...filesUnder(join(folder, "src")).filter((file) => !/\.test(-d)?\.ts$/.test(file)),
  ]);
  const shared = ["pnpm-lock.yaml", "tsconfig.base.json", "tsup.preset.ts"];
  const stamp = contentStamp(root, [...sources, ...shared.map((name) => join(root, name))]);
  const mark = join(root, ".muster", "built");
  if (!folders.every((folder) => existsSync(join(folder, "dist")))) rmSync(mark, { force: true });
  if (!declarations && isStamped(mark, stamp)) return;
  const wanted = declarations ? stamp : `${stamp} without declarations`;
  await unlessStamped(mark, wanted, async () => {
    const env = { ...(await withPnpm(context)), MUSTER_DECLARATIONS: declarations ? "on" : "off" };
    say("building");
    const turbo = join(root, "node_modules", "turbo", "bin", "turbo");
    const args = [turbo, "run", "build", "--output-logs=errors-only"];
    await runStep("building", process.execPath, args, { cwd: root, env });
  });
}

/** @param {string} root */
function pinnedPnpm(root) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const match = /^pnpm@([^+]+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager);
  if (!match?.[1] || !match[2])
    throw new Error(`package.json: packageManager is ${packageManager}, not pnpm@x.y.z+sha512.HEX`);
  return {
    version: match[1],
    integrity: `sha512-${Buffer.from(match[2], "hex").toString("base64")}`,
  };
}

/** @param {NodeJS.ProcessEnv} env @param {string[]} args */
function npm(env, args) {
  const script = env.npm_execpath;
  // Started by npm: the same npm, without a shell in between. Otherwise the one on the PATH.
  if (script?.endsWith("npm-cli.js")) return { command: process.execPath, args: [script, ...args] };
  return { command: "npm", args };
}
