import type { Command } from "commander";
import { startDemoFleet } from "../demo/demo-fleet.ts";
import { serveFleet } from "../fleet/serve-fleet.ts";
import type { Io } from "./io.ts";
import { hostOption, logLevelOption, parseCount, portOption } from "./options.ts";

interface DemoFlags {
  readonly host?: string;
  readonly port?: number;
  readonly seed: number;
  readonly logLevel: string;
}

/** `muster demo`: a simulated fleet under load, and the app that watches it. */
export function addDemo(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command("demo")
    .description("run a simulated fleet of three engines under load, and serve it")
    .addOption(hostOption())
    .addOption(portOption())
    .option("--seed <number>", "seed of the simulation", parseCount, 1)
    .addOption(logLevelOption("warn"))
    .addHelpText(
      "after",
      `
The fleet is found through a real endpoints file and scraped over real HTTP; edit the file, or
give a server a fault, and see the page follow.`,
    )
    .action(async (flags: DemoFlags) => done(await demo(flags, io)));
}

async function demo(flags: DemoFlags, io: Io): Promise<number> {
  io.err("starting 7 simulated model servers ...\n");
  const fleet = await startDemoFleet(flags.seed);
  const [first] = fleet.urls;
  const welcome = (url: string): void =>
    io.err(`
Muster is at ${url}
  endpoints as JSON    ${url}/api/endpoints
  endpoints file       ${fleet.endpointsFile}   (edit it: the page follows)
  configuration        ${fleet.configFile}
  make a server hang   curl -X POST ${first}/sim/faults -H 'content-type: application/json' -d '{"kind":"hang"}'
Ctrl-C stops everything.

`);
  try {
    return await serveFleet({ ...flags, config: fleet.configFile, onListening: welcome }, io);
  } finally {
    await fleet.stop();
  }
}
