import { type Command, Option } from "commander";
import { startDemoFleet } from "../demo/demo-fleet.ts";
import { startPlaneFleet } from "../demo/plane-fleet.ts";
import { serveFleet } from "../fleet/serve-fleet.ts";
import type { Io } from "./io.ts";
import { hostOption, logLevelOption, parseCount, portOption } from "./options.ts";

interface DemoFlags {
  readonly host?: string;
  readonly port?: number;
  readonly discovery: "file" | "file-store";
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
    .addOption(
      new Option("--discovery <how>", "how the app finds the servers")
        .choices(["file", "file-store"])
        .default("file"),
    )
    .option("--seed <number>", "seed of the simulation", parseCount, 1)
    .addOption(logLevelOption("warn"))
    .addHelpText(
      "after",
      `
file: a real endpoints file, scraped over real HTTP; edit the file, or give a server a fault, and see
the page follow. file-store: every server is a process that registers itself and its model on a
discovery plane in a folder; kill one and see it vanish.`,
    )
    .action(async (flags: DemoFlags) => done(await demo(flags, io)));
}

async function demo({ discovery, seed, ...flags }: DemoFlags, io: Io): Promise<number> {
  io.err("starting simulated model servers ...\n");
  // on Ctrl-C the servers are interrupted, too: nothing to tell
  const tell = (text: string): void => void (io.signal.aborted || io.err(text));
  const fleet =
    discovery === "file" ? await startDemoFleet(seed) : await startPlaneFleet(seed, tell);
  const welcome = (url: string): void => {
    const lines = [
      ["endpoints as JSON", `${url}/api/endpoints`],
      ...fleet.hints,
      ["configuration", fleet.configFile],
    ].map(([heading = "", text]) => `  ${heading.padEnd(20)} ${text}\n`);
    io.err(`\nMuster is at ${url}\n${lines.join("")}Ctrl-C stops everything.\n\n`);
  };
  try {
    return await serveFleet({ ...flags, config: fleet.configFile, onListening: welcome }, io);
  } finally {
    await fleet.stop();
  }
}
