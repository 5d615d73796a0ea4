import {
  type Clock,
  delay,
  type Logger,
  MusterError,
  silentLogger,
  silentMeter,
  systemClock,
  toMusterError,
} from "@muster/core";
import type { DiscoveryStatus, Fleet, FleetEndpoints, FleetState, FleetStatus } from "./fleet.ts";
import { startAll } from "./lifecycle/start-all.ts";
import { type Stoppable, stopPhases } from "./lifecycle/stop-phases.ts";
import { createPluginHost, type PluginHost } from "./registry/plugin-host.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import { FleetParts } from "./runtime-parts.ts";
import { type ResolvedSettings, resolveSettings } from "./runtime-settings.ts";
import { createStoreParts, type StoreParts } from "./store/endpoint-store.ts";
import { applyWiring } from "./wiring/apply-wiring.ts";
import { resolveWiring } from "./wiring/resolve-wiring.ts";
import type { Wiring, WiringResult } from "./wiring/wiring.ts";

/** ms that a start waits at most for the first polls of the endpoints it found. */
const firstPollsTimeout = 3000;

/**
 * Makes a fleet's data layer from plugin instances, or from what `loadConfig` gives. Nothing runs
 * before `start`; whatever is wrong with the options is reported there, all at once.
 */
export function createRuntime(options: RuntimeOptions): Fleet {
  return new FleetRuntime(options);
}

class FleetRuntime implements Fleet {
  readonly endpoints: FleetEndpoints;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #host: PluginHost;
  readonly #settings: ResolvedSettings;
  readonly #wired: WiringResult;
  readonly #storeParts: StoreParts;
  readonly #parts: FleetParts;
  readonly #startAborted = new AbortController();
  readonly #ready: Promise<void>;
  #settleReady: (error?: MusterError) => void = () => undefined;
  #state: FleetState = "idle";
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: RuntimeOptions) {
    const { clock = systemClock, logger = silentLogger, metrics = silentMeter } = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#host = options.host ?? createPluginHost({ logger, metrics, clock });
    this.#wired = resolveWiring({ ...options, host: this.#host });
    this.#settings = resolveSettings(options, this.wiring);
    this.#storeParts = createStoreParts({ logger, metrics, clock });
    this.endpoints = this.#storeParts.store.endpoints;
    this.#parts = new FleetParts({
      store: this.#storeParts,
      wiring: this.wiring,
      thresholds: this.#settings.thresholds,
      clock,
      logger,
      metrics,
    });
    this.#ready = new Promise((resolve, reject) => {
      this.#settleReady = (error) => (error === undefined ? resolve() : reject(error));
    });
    // whoever asks gets the rejection; nobody asking is no error
    this.#ready.catch(() => undefined);
    this.#bindHost();
  }

  get state(): FleetState {
    return this.#state;
  }

  get wiring(): Wiring {
    return this.#wired.wiring;
  }

  start(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#state === "starting" || this.#state === "running")
      return this.#starting ?? Promise.resolve();
    if (this.#state !== "idle")
      return Promise.reject(
        new MusterError("RUNTIME_STATE", `the runtime is ${this.#state}; create another one`),
      );
    this.#state = "starting";
    this.#starting = this.#start(options.signal);
    return this.#starting;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  status(): FleetStatus {
    const discoveries = this.#parts.discoveries.map(({ status }) => status);
    const running = this.#state === "running";
    const reasons = running ? [] : [`the runtime is ${stateText[this.#state]}`];
    if (running || this.#state === "starting") reasons.push(...discoveries.flatMap(awaited));
    const watches = this.#parts.watches.map(({ status }) => status);
    return { state: this.#state, ready: reasons.length === 0, reasons, discoveries, watches };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #start(given: AbortSignal | undefined): Promise<void> {
    try {
      await this.#launch(
        given === undefined
          ? this.#startAborted.signal
          : AbortSignal.any([given, this.#startAborted.signal]),
      );
      this.#state = "running";
    } catch (error) {
      const failure = toMusterError(error, "INTERNAL");
      await this.#tearDown();
      this.#settleReady(failure);
      throw failure;
    }
  }

  /** Rejects with START_FAILED; what was started by then still runs. */
  async #launch(signal: AbortSignal): Promise<void> {
    const { wiring, problems } = this.#wired;
    const invalid = [...problems, ...this.#settings.problems];
    if (invalid.length === 0) invalid.push(...applyWiring(wiring));
    if (invalid.length > 0) throw startFailed(invalid);
    for (const warning of [...wiring.warnings, ...this.#settings.warnings])
      this.#logger.warn({}, warning);
    this.#parts.start();
    const { startTimeout } = this.#settings;
    const limits = { clock: this.#clock, timeout: startTimeout, signal };
    const failed = await startAll(this.#parts.discoveries, limits);
    if (failed.length > 0) throw startFailed(failed);
    if (!signal.aborted) {
      const passes = this.#parts.discoveries.map(({ firstPass }) => firstPass);
      void Promise.all(passes).then(() => this.#settleReady());
      await this.#firstPolls(signal);
    }
    if (signal.aborted)
      throw new MusterError("START_FAILED", "the start was aborted", { cause: signal.reason });
  }

  /** So that whoever reads right after the start finds values. */
  async #firstPolls(signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    const over = AbortSignal.any([signal, done.signal]);
    await Promise.race([
      this.#parts.collectors.firstRound(),
      delay(this.#clock, firstPollsTimeout, over),
    ]);
    done.abort();
  }

  async #stop(): Promise<void> {
    this.#startAborted.abort();
    if (this.#starting !== undefined && this.#state !== "running") {
      // it rolls back, and its rejection belongs to whoever called start
      await this.#starting.catch(() => undefined);
      return;
    }
    const late = await this.#tearDown();
    this.#settleReady(new MusterError("RUNTIME_STATE", "the runtime was stopped"));
    if (late.length > 0)
      throw new MusterError("STOP_TIMEOUT", `did not stop in time: ${late.join(", ")}`);
  }

  /** Stops everything in the reverse order of the start; gives the names of what did not stop. */
  async #tearDown(): Promise<string[]> {
    this.#state = "stopping";
    this.#storeParts.store.close();
    const phases: Stoppable[][] = [
      ...this.#parts.stopPhases(),
      [{ name: "plugin host", stop: () => this.#host.close() }],
      ...this.#parts.pluginPhases(),
    ];
    const late = await stopPhases(phases, {
      clock: this.#clock,
      logger: this.#logger,
      timeout: this.#settings.stopTimeout,
    });
    for (const name of late)
      this.#logger.error({ code: "STOP_TIMEOUT", name }, "did not stop in time");
    this.#state = "stopped";
    return late;
  }

  #bindHost(): void {
    const { store } = this.#storeParts;
    const { endpoints } = this;
    this.#host.bind({
      get: (id) => endpoints.get(id),
      list: () => endpoints.list(),
      byPod: (namespace, podName) => endpoints.byPod(namespace, podName),
      writer: (id, attributes) => store.writer(id, attributes),
    });
  }
}

const stateText: Readonly<Record<FleetState, string>> = Object.freeze({
  idle: "not started",
  starting: "starting",
  running: "running",
  stopping: "stopping",
  stopped: "stopped",
});

/** Why a discovery keeps its fleet from being ready, if it does. */
function awaited({ plugin, state, error }: DiscoveryStatus): string[] {
  if (state !== "starting") return [];
  const why = error === undefined ? "" : `: ${error.code}: ${error.message}`;
  return [`discovery ${plugin} has not completed its first pass${why}`];
}

function startFailed(problems: readonly MusterError[]): MusterError {
  const lines = problems.map(({ code, message }) => `${code}: ${message}`);
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  return new MusterError("START_FAILED", `cannot start, ${count}:\n- ${lines.join("\n- ")}`, {
    problems,
  });
}
