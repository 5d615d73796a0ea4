import type { Command } from "commander";
import { serveFleet } from "../fleet/serve-fleet.ts";
import type { Io } from "./io.ts";
import { configOption, hostOption, logLevelOption, portOption } from "./options.ts";

interface RunFlags {
  readonly config: string;
  readonly host?: string;
  readonly port?: number;
  readonly logLevel: string;
}

/** `muster run`: keeps the roll of a fleet and serves it until asked to end. */
export function addRun(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command("run")
    .description("discover, poll and serve a fleet until interrupted")
    .addOption(configOption())
    .addOption(hostOption())
    .addOption(portOption())
    .addOption(logLevelOption("info"))
    .addHelpText(
      "after",
      `
Logs are JSON lines on standard error. The API needs a token where it does not listen on
loopback: set server.token in the configuration or MUSTER_TOKEN in the environment.
SIGTERM drains and exits; SIGHUP, or a change of the file, checks the configuration again.

Example:
  muster run --config muster.yaml --port 7700`,
    )
    .action(async (flags: RunFlags) => done(await serveFleet(flags, io)));
}
