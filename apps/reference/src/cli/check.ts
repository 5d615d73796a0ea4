import type { Command } from "commander";
import { checkConfig } from "../fleet/check-config.ts";
import { describeWiring } from "../fleet/describe-wiring.ts";
import { exit, type Io } from "./io.ts";
import { configOption } from "./options.ts";

/** `muster check`: what a configuration wires, or everything that is wrong with it. */
export function addCheck(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command("check")
    .description("check a configuration and print what is wired to what, and why")
    .addOption(configOption().makeOptionMandatory())
    .addHelpText(
      "after",
      `
Nothing is started and no endpoint is asked. Exit codes: 0 valid, 2 not; then every problem is
printed as FILE:LINE:COLUMN: PATH: MESSAGE [CODE].`,
    )
    .action(async ({ config }: { config: string }) => done(await check(config, io)));
}

async function check(file: string, io: Io): Promise<number> {
  const view = await checkConfig({ file, flags: {}, env: io.env });
  for (const warning of view.loaded.warnings) io.err(`warning: ${warning}\n`);
  io.out(describeWiring(view));
  return exit.ok;
}
