import type { EngineName } from "../engines/profiles.ts";
import type { Fault, FaultInput, FaultKind } from "../faults/fault.ts";
import type { ModelServerSnapshot } from "./snapshot.ts";

/** Where a simulated server is in its life. */
export type SimState = "idle" | "starting" | "running" | "stopping" | "stopped";

/** A simulated model server over real HTTP. */
export interface ModelServerSim extends AsyncDisposable {
  readonly engine: EngineName;
  readonly model: string;
  readonly state: SimState;
  /** The host it listens on. */
  readonly address: string;
  /** The port it listens on; 0 before the first start when none was given. */
  readonly port: number;
  /** `http://host:port`, without a path. */
  readonly url: string;
  /** Path of the metrics page, such as `/metrics`. */
  readonly metricsPath: string;
  /**
   * Listens. A server that was stopped starts again on the port it had, with everything reset.
   *
   * @throws MusterError PORT_IN_USE, START_FAILED.
   */
  start(): Promise<void>;
  /** Drops every connection and request, and gives the port back. */
  stop(): Promise<void>;
  /** Drops every connection and starts from zero, as a new process would: counters, adapters, all. */
  restart(): void;
  /**
   * Switches a fault on, or over when one of its kind is on.
   *
   * @throws MusterError CONFIG_INVALID.
   */
  setFault(fault: FaultInput): void;
  /** Switches one kind of fault off, or all. Requests that hang are dropped. */
  clearFault(kind?: FaultKind): void;
  /** The faults that are on, the last one last. */
  faults(): readonly Fault[];
  snapshot(): ModelServerSnapshot;
  /** The metrics page as it would be served now without faults. */
  page(): string;
}
