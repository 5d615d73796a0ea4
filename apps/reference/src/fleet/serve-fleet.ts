import { isMusterError, type Logger, MusterError, messageOf } from "@muster/core";
import {
  createRuntime,
  type Fleet,
  type LoadedConfig,
  loadConfig,
  locateProblems,
  parseConfig,
} from "@muster/runtime";
import { collectDefaultMetrics, Registry } from "prom-client";
import { exit, type Io } from "../cli/io.ts";
import { createApi } from "../http/api.ts";
import { type Listening, listen } from "../http/listen.ts";
import { registerPoolMetrics } from "../telemetry/pool-metrics.ts";
import { createPromMeter } from "../telemetry/prom-meter.ts";
import { createAppRegistry } from "./definitions.ts";
import { createLogger } from "./logger.ts";
import { recheckConfig } from "./recheck-config.ts";
import { resolveServer, type ServerSettings } from "./server-settings.ts";

/** ms that requests may take to end when asked to stop; the whole stop stays under 5 s. */
const drainGrace = 2000;

/** For plugins and polls, which end while requests do. */
const stopTimeout = 4000;

/** What to serve, and overrides of the configuration. */
export interface ServeOptions {
  /** The configuration's file, or its text where there is no file. */
  readonly config: string | { readonly text: string };
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly logLevel: string;
  /** Called once the API answers. */
  readonly onListening?: ((url: string) => void) | undefined;
}

/** Runs a fleet and its API until `io.signal` aborts; gives the exit code. */
export async function serveFleet(options: ServeOptions, io: Io): Promise<number> {
  const logger = createLogger(options.logLevel);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createPromMeter(registry);
  const plugins = createAppRegistry();
  const { config } = options;
  const file = typeof config === "string" ? config : "generated configuration";
  const loading = { file, registry: plugins, env: io.env, logger, metrics };
  const loaded = await (typeof config === "string"
    ? loadConfig(loading)
    : parseConfig(config.text, loading));
  for (const warning of loaded.warnings) logger.warn({ config: file }, warning);
  const settings = resolveServer({ flags: options, config: loaded.server, env: io.env });
  const fleet = createRuntime({ ...loaded.runtime, logger, metrics, stopTimeout });
  registerPoolMetrics({ fleet, registry, pool: loaded.runtime.pool?.name ?? "default" });
  const stopRecheck =
    typeof config === "string"
      ? recheckConfig({ file, flags: options, env: io.env, logger })
      : undefined;
  try {
    return await serve({ fleet, loaded, registry, logger, settings, options, io });
  } finally {
    stopRecheck?.();
    await fleet.stop();
  }
}

interface Serving {
  readonly fleet: Fleet;
  readonly loaded: LoadedConfig;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly settings: ServerSettings;
  readonly options: ServeOptions;
  readonly io: Io;
}

/** Listens first, so that health and readiness answer while the fleet is starting. */
async function serve(serving: Serving): Promise<number> {
  const { fleet, loaded, registry, logger, settings, options, io } = serving;
  const draining = new AbortController();
  const api = createApi({ fleet, registry, logger, guard: settings, signal: draining.signal });
  const listening = await listen(api, settings);
  try {
    logger.info({ url: listening.url }, "listening");
    options.onListening?.(listening.url);
    io.out(`${listening.url}\n`);
    await start(fleet, loaded, io.signal);
    logger.info({ endpoints: fleet.endpoints.size }, "fleet is running");
    await aborted(io.signal);
    logger.info({ reason: messageOf(io.signal.reason) }, "draining");
    return exit.ok;
  } catch (error) {
    if (io.signal.aborted) return exit.ok;
    throw error;
  } finally {
    draining.abort();
    await Promise.all([drain(listening), fleet.stop()]);
    logger.info({}, "stopped");
  }
}

/** Starts the fleet; what goes wrong is told with its place in the configuration. */
async function start(fleet: Fleet, loaded: LoadedConfig, signal: AbortSignal): Promise<void> {
  try {
    await fleet.start({ signal });
  } catch (error) {
    if (!isMusterError(error) || error.problems.length === 0) throw error;
    const problems = locateProblems(error.problems, loaded);
    throw new MusterError(error.code, error.message, { cause: error, problems });
  }
}

function drain(listening: Listening): Promise<void> {
  return listening.close(drainGrace);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
