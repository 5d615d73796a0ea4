import { type Clock, type Logger, MusterError } from "@muster/core";
import { createChecker } from "../checker.ts";
import { deriveSeed } from "../random.ts";
import { createModelServer } from "../server/create-model-server.ts";
import type { ModelServerSim } from "../server/model-server.ts";
import type { ModelServerOptions } from "../server/options.ts";
import { type EndpointEntry, endpointEntry } from "./endpoint-entry.ts";

/** A server of a fleet. */
export interface FleetServerOptions extends ModelServerOptions {
  /** Unique name. Default: the engine and a number, `vllm-0`. */
  readonly name?: string | undefined;
  /** Labels of its endpoint, beside the engine's. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** How a fleet is made. */
export interface FleetOptions {
  readonly servers: readonly FleetServerOptions[];
  /** Gives each server without a seed its own. Default 1. */
  readonly seed?: number | undefined;
  /** For servers without their own. */
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** Several simulated servers in one process. */
export interface FleetSim extends AsyncDisposable {
  /** By name, in the order given. */
  readonly servers: ReadonlyMap<string, ModelServerSim>;
  /**
   * Starts all that are not running; when one cannot start, none is left running.
   *
   * @throws MusterError PORT_IN_USE, START_FAILED.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Stops one server as if its machine were gone: connections break, its port refuses.
   *
   * @throws MusterError NOT_FOUND, as do the other calls that name a server.
   */
  kill(name: string): Promise<void>;
  /** Starts a killed server again, on its port, with everything reset. */
  revive(name: string): Promise<void>;
  /** Drops a server's connections and resets it, without a moment in which its port refuses. */
  restart(name: string): void;
  /** The servers as entries of an endpoints file: `{endpoints: fleet.endpoints()}`. */
  endpoints(): readonly EndpointEntry[];
}

/**
 * Makes a fleet; {@link FleetSim.start} makes its servers listen.
 *
 * @throws MusterError CONFIG_INVALID with every problem.
 */
export function createFleet(options: FleetOptions): FleetSim {
  const { servers, labels } = createServers(options);
  const get = (name: string): ModelServerSim => {
    const server = servers.get(name);
    if (server !== undefined) return server;
    const known = [...servers.keys()].join(", ");
    throw new MusterError("NOT_FOUND", `the fleet has no server "${name}"; it has ${known}`);
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  };
  return {
    servers,
    stop,
    async start() {
      const started = await Promise.allSettled([...servers.values()].map((one) => one.start()));
      const failed = started.find((result) => result.status === "rejected");
      if (failed === undefined) return;
      await stop();
      throw failed.reason;
    },
    kill: async (name) => get(name).stop(),
    revive: async (name) => get(name).start(),
    restart: (name) => get(name).restart(),
    endpoints: () =>
      [...servers].map(([name, server]) => endpointEntry(name, server, labels.get(name) ?? {})),
    [Symbol.asyncDispose]: stop,
  };
}

interface CreatedServers {
  readonly servers: ReadonlyMap<string, ModelServerSim>;
  readonly labels: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

function createServers(options: FleetOptions): CreatedServers {
  const check = createChecker("fleet");
  check.keys(options, ["servers", "seed", "clock", "logger"]);
  const seed = check.integer("seed", options.seed, 1, { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (!Array.isArray(options.servers) || options.servers.length === 0)
    check.problem("servers", "must be a list of at least one server");
  check.done();
  const servers = new Map<string, ModelServerSim>();
  const labels = new Map<string, Readonly<Record<string, string>>>();
  for (const [index, { name: given, labels: own, ...server }] of options.servers.entries()) {
    const name = check.text(`servers[${index}].name`, given, nextName(servers, server.engine), 63);
    if (servers.has(name)) check.problem(`servers[${index}].name`, `repeats "${name}"`);
    const common = { clock: options.clock, logger: options.logger, seed: deriveSeed(seed, index) };
    servers.set(name, createModelServer({ ...common, ...server }));
    labels.set(name, own ?? {});
  }
  check.done();
  return { servers, labels };
}

/** The engine and the first free number. */
function nextName(taken: ReadonlyMap<string, unknown>, engine = "vllm"): string {
  let number = 0;
  while (taken.has(`${engine}-${number}`)) number++;
  return `${engine}-${number}`;
}
