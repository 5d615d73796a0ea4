import { MusterError } from "@muster/core";
import { loadConfig, locateProblems, resolveWiring } from "@muster/runtime";
import type { Command } from "commander";
import { createAppRegistry } from "../fleet/definitions.ts";
import { describeWiring } from "../fleet/describe-wiring.ts";
import { resolveServer } from "../fleet/server-settings.ts";
import { exit, type Io } from "./io.ts";
import { configOption } from "./options.ts";

/** `muster check`: what a configuration wires, or everything that is wrong with it. */
export function addCheck(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command("check")
    .description("check a configuration and print what is wired to what, and why")
    .addOption(configOption())
    .addHelpText(
      "after",
      `
Nothing is started and no endpoint is asked. Exit codes: 0 valid, 2 not; then every problem is
printed as FILE:LINE:COLUMN: PATH: MESSAGE.`,
    )
    .action(async ({ config }: { config: string }) => done(await check(config, io)));
}

async function check(file: string, io: Io): Promise<number> {
  const loaded = await loadConfig({ file, registry: createAppRegistry(), env: io.env });
  const { wiring, problems } = resolveWiring(loaded.runtime);
  if (problems.length > 0)
    throw new MusterError("CONFIG_INVALID", `${file} cannot be wired`, {
      problems: locateProblems(problems, loaded),
    });
  const server = resolveServer({ flags: {}, config: loaded.server, env: io.env });
  for (const warning of loaded.warnings) io.err(`warning: ${warning}\n`);
  io.out(describeWiring({ loaded, wiring, server }));
  return exit.ok;
}
