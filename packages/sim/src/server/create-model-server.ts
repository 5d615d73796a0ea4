import type { ModelServerSim } from "./model-server.ts";
import { type ModelServerOptions, resolveModelServerOptions } from "./options.ts";
import { SimulatedServer } from "./simulated-server.ts";

/**
 * Makes a simulated model server; {@link ModelServerSim.start} makes it listen.
 *
 * @throws MusterError CONFIG_INVALID with every problem.
 */
export function createModelServer(options: ModelServerOptions = {}): ModelServerSim {
  return new SimulatedServer(resolveModelServerOptions(options));
}
