import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson, root } from "../workspace.ts";
import { exec } from "./exec.ts";
import type { Runtime } from "./runtimes.ts";
import type { Counts } from "./steps.ts";
import { startStores } from "./stores.ts";
import { tarballs } from "./tarballs.ts";

/** A folder outside the workspace in which the packed packages are installed, beside the portable tests. */
export interface Consumer {
  folder: string;
  remove(): void;
}

/** Installs the tarballs with npm, as a user would, and the client of NATS that a user adds. */
export async function createConsumer(): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), "muster-portable-"));
  cpSync(join(root, "runtime-tests", "portable"), folder, { recursive: true });
  cpSync(join(root, "fixtures", "tls"), join(folder, "tls"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  const args = [
    "install",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    ...tarballs(),
    ...natsClient(),
  ];
  await exec("npm", args, { cwd: folder });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The optional peers of the NATS store, as they are tested here. */
function natsClient(): string[] {
  const path = join(root, "packages", "discovery-kv", "package.json");
  const { devDependencies, peerDependencies } = readJson<{
    devDependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
  }>(path);
  const names = Object.keys(peerDependencies).filter((name) => name.startsWith("@nats-io/"));
  return names.map((name) => `${name}@${devDependencies[name]}`);
}

/**
 * Runs the portable tests on one runtime, beside real stores, and counts them.
 *
 * @throws Error when one failed, when none ran, or when the runtime did not end by itself
 */
export async function runPortable(
  { folder }: Consumer,
  runtime: Runtime,
  count: (counts: Counts) => void,
): Promise<void> {
  const [command = "", ...args] = await runtime.command();
  await using stores = await startStores();
  for (const what of stores.missing) console.log(`skipped: tests with a store, ${what}`);
  const output = await exec(command, [...args, "run.mjs"], {
    cwd: folder,
    env: stores.env,
    capture: true,
    timeoutMs: 180_000,
  });
  process.stdout.write(output);
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  count({ passed: Number(passed), failed: Number(failed) });
  if (Number(failed) > 0) throw new Error(`${failed} tests failed on ${runtime.name}`);
  if (Number(passed) === 0) throw new Error(`no test ran on ${runtime.name}`);
}
