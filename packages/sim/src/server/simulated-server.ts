import { createServer, type Server } from "node:http";
import { hostPort } from "@muster/core";
import { createApp } from "../api/app.ts";
import type { EngineName } from "../engines/profiles.ts";
import type { Fault, FaultInput, FaultKind } from "../faults/fault.ts";
import { FaultBoard } from "../faults/fault-board.ts";
import { parseFault } from "../faults/parse-fault.ts";
import { createFront } from "./front.ts";
import type { FetchHandler } from "./http-adapter.ts";
import { close, listen } from "./listen.ts";
import type { ModelServerSim, SimState } from "./model-server.ts";
import { OpenExchanges } from "./open-exchanges.ts";
import type { ModelServerSettings } from "./options.ts";
import { createSimulation, type Simulation } from "./simulation.ts";
import { type ModelServerSnapshot, snapshotOf } from "./snapshot.ts";

/** A server, its life after life. */
export class SimulatedServer implements ModelServerSim {
  readonly engine: EngineName;
  readonly model: string;
  readonly address: string;
  port: number;
  state: SimState = "idle";
  readonly #settings: ModelServerSettings;
  readonly #board = new FaultBoard();
  readonly #exchanges = new OpenExchanges();
  readonly #front: ReturnType<typeof createFront>;
  #simulation: Simulation;
  #handler: FetchHandler;
  #restarts = 0;
  #frozenPage: string | undefined;
  #server: Server | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(settings: ModelServerSettings) {
    this.#settings = settings;
    this.engine = settings.engine;
    this.model = settings.model;
    this.address = settings.host;
    this.port = settings.port;
    this.#simulation = this.#createSimulation();
    this.#handler = this.#createHandler();
    this.#front = createFront({
      settings,
      faults: this.#board,
      exchanges: this.#exchanges,
      simulation: () => this.#simulation,
      handler: (request, environment) => this.#handler(request, environment),
      frozenPage: () => this.#frozenPage,
    });
  }

  get url(): string {
    return `http://${hostPort(this.address, `${this.port}`)}`;
  }

  get metricsPath(): string {
    return this.#simulation.profile.metricsPath;
  }

  async start(): Promise<void> {
    await this.#stopping;
    this.#starting ??= this.#start();
    await this.#starting;
  }

  async stop(): Promise<void> {
    if (this.#starting === undefined) return;
    this.#stopping ??= this.#stop(this.#starting);
    await this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  restart(): void {
    this.#renew();
    this.#exchanges.dropAll();
    this.#server?.closeIdleConnections();
    this.#settings.logger.info({ url: this.url }, "the simulated server restarted");
  }

  setFault(input: FaultInput): void {
    const fault = parseFault(input);
    if (fault.kind === "freeze") this.#frozenPage = this.page();
    if (fault.kind === "restart") this.restart();
    else this.#board.set(fault);
  }

  clearFault(kind?: FaultKind): void {
    this.#board.clear(kind);
    this.#exchanges.dropHeld(kind);
  }

  faults(): readonly Fault[] {
    return this.#board.list();
  }

  snapshot(): ModelServerSnapshot {
    const { engine, model } = this;
    return snapshotOf(this.#simulation, { engine, model, restarts: this.#restarts });
  }

  page(): string {
    return this.#simulation.page();
  }

  async #start(): Promise<void> {
    this.state = "starting";
    if (this.#server !== undefined) this.#renew();
    const server = createServer(this.#front);
    // as long as scrapers keep theirs, so that no request meets a connection being closed
    server.keepAliveTimeout = 75_000;
    try {
      this.port = await listen(server, this.address, this.port);
    } catch (error) {
      this.state = "stopped";
      this.#starting = undefined;
      throw error;
    }
    this.#server = server;
    this.state = "running";
  }

  async #stop(starting: Promise<void>): Promise<void> {
    // a start that failed has nothing to stop, and has told its caller why
    await starting.catch(() => undefined);
    if (this.#server !== undefined && this.state === "running") {
      this.state = "stopping";
      this.#simulation.engine.halt();
      await close(this.#server);
      this.state = "stopped";
    }
    this.#starting = undefined;
    this.#stopping = undefined;
  }

  /** Ends the present life and begins another. */
  #renew(): void {
    this.#simulation.engine.halt();
    this.#restarts++;
    this.#simulation = this.#createSimulation();
    this.#handler = this.#createHandler();
  }

  #createSimulation(): Simulation {
    return createSimulation(this.#settings, this.#restarts);
  }

  #createHandler(): FetchHandler {
    const app = createApp({
      ...this.#simulation,
      settings: this.#settings,
      administered: this,
    });
    return (request, environment) => app.fetch(request, environment);
  }
}
