import { MusterError } from "@muster/core";
import type { Command } from "commander";
import { planeConfig } from "../fleet/plane-config.ts";
import { serveFleet } from "../fleet/serve-fleet.ts";
import { storeOfEnvironment } from "../plane/store-env.ts";
import { type StoreFlags, storeOf, storeOption } from "./discovery/options.ts";
import type { Io } from "./io.ts";
import { configOption, hostOption, logLevelOption, portOption } from "./options.ts";

interface RunFlags extends StoreFlags {
  readonly config?: string;
  readonly namespace?: string;
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
    .addOption(storeOption())
    .option("--namespace <name>", "with a store: only this namespace (default: DYN_NAMESPACE)")
    .addOption(hostOption())
    .addOption(portOption())
    .addOption(logLevelOption("info"))
    .addHelpText(
      "after",
      `
Logs are JSON lines on standard error. The API needs a token where it does not listen on
loopback: set server.token in the configuration or MUSTER_TOKEN in the environment.
SIGTERM drains and exits; SIGHUP, or a change of the file, checks the configuration again.
Without --config the servers are found on a discovery plane: in the store of --store, or of the
environment (see muster discovery list --help).

Examples:
  muster run --config muster.yaml --port 7700
  muster run --store etcd://127.0.0.1:2379 --namespace dynamo`,
    )
    .action(async (flags: RunFlags) => done(await run(flags, io)));
}

async function run(flags: RunFlags, io: Io): Promise<number> {
  const { config, store, namespace, ...rest } = flags;
  if (config === undefined) {
    if (store === undefined && storeOfEnvironment(io.env) === undefined)
      throw new MusterError("USAGE", "what is to be run? give --config FILE, or --store URL");
    const text = planeConfig(storeOf(flags, io), namespace ?? io.env.DYN_NAMESPACE);
    return serveFleet({ ...rest, config: { text } }, io);
  }
  if ((store ?? namespace) === undefined) return serveFleet({ ...rest, config }, io);
  throw new MusterError(
    "USAGE",
    "give --config, or --store and --namespace: a configuration says itself which store",
  );
}
