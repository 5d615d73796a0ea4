import { formatTypedName, type MusterError, type NotificationSource } from "@muster/core";
import type { WatchStatus } from "../fleet.ts";
import type { Instruments } from "../telemetry/instruments.ts";

/** How the watch of one Kubernetes kind is: for the status, and counted. */
export class WatchCondition {
  readonly #source: string;
  readonly #kind: string;
  readonly #instruments: Instruments;
  #running = false;
  #error: MusterError | undefined;

  constructor(source: NotificationSource, kind: string, instruments: Instruments) {
    this.#source = formatTypedName(source.typedName);
    this.#kind = kind;
    this.#instruments = instruments;
  }

  get status(): WatchStatus {
    const { code, message } = this.#error ?? {};
    return {
      source: this.#source,
      kind: this.#kind,
      state: this.#state,
      ...(code !== undefined && message !== undefined && { error: { code, message } }),
    };
  }

  /** The watch runs, or has been stopped for good. */
  run(running: boolean): void {
    this.#running = running;
    this.#error = undefined;
  }

  /** Why the kind is not followed; undefined: it is. */
  set(error: MusterError | undefined): void {
    if (error !== undefined && this.#error === undefined)
      this.#instruments.watchInterruptions.add(1, { source: this.#source });
    this.#error = error;
  }

  get #state(): WatchStatus["state"] {
    if (!this.#running) return "stopped";
    return this.#error === undefined ? "running" : "degraded";
  }
}
