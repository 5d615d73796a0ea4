import {
  type Clock,
  createDiscoveryNotifier,
  delay,
  type EndpointDiscovery,
  formatTypedName,
  type Logger,
  MusterError,
  messageOf,
  toMusterError,
} from "@muster/core";
import type { DiscoveryStatus } from "../fleet.ts";
import { backOff } from "../lifecycle/back-off.ts";
import type { OwnerStore } from "../store/endpoint-store.ts";
import type { Instruments } from "../telemetry/instruments.ts";

/** ms before the first restart. */
const firstRestart = 500;
/** ms between restarts at most; whoever ran longer than this begins with the first wait again. */
const restartCap = 30_000;

/** What a {@link DiscoverySupervisor} needs. */
export interface SupervisorOptions {
  readonly store: OwnerStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly instruments: Instruments;
}

/** How one start of a discovery went on: its first pass is complete, or it ended. */
type Progress = { readonly ready: true } | { readonly ready: false; readonly error: MusterError };

/** One start of a discovery. */
interface Run {
  /** Settles once; never rejects. */
  readonly progress: Promise<Progress>;
  /** Resolves with the reason when it has ended; never rejects. */
  readonly ended: Promise<MusterError>;
  readonly abort: () => void;
}

/**
 * Runs one discovery for as long as the runtime lives. A failure before its first complete pass is an
 * error of the start. After that it is restarted with jittered back-off; meanwhile its endpoints are
 * kept and shown as degraded, and when it is ready again those it did not report again are deleted. A
 * start that resolves without having been aborted counts as a failure: whatever it watched, nobody
 * watches it now.
 */
export class DiscoverySupervisor {
  readonly #discovery: EndpointDiscovery;
  readonly #options: SupervisorOptions;
  readonly #name: string;
  readonly #stopping = new AbortController();
  #state: DiscoveryStatus["state"] = "starting";
  #error: MusterError | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(discovery: EndpointDiscovery, options: SupervisorOptions) {
    this.#discovery = discovery;
    this.#options = options;
    this.#name = formatTypedName(discovery.typedName);
  }

  get name(): string {
    return this.#name;
  }

  get status(): DiscoveryStatus {
    const { code, message } = this.#error ?? {};
    return {
      plugin: this.#name,
      state: this.#state,
      ...(code !== undefined && message !== undefined && { error: { code, message } }),
      endpoints: this.#options.store.size,
    };
  }

  /**
   * Resolves when the first pass is complete, or when stopped before.
   *
   * @throws MusterError of the discovery, or DISCOVERY_FAILED.
   */
  async start(): Promise<void> {
    const run = this.#begin();
    this.#running = run.ended.then(() => undefined);
    const progress = await run.progress;
    if (this.#stopped) return;
    if (!progress.ready) {
      run.abort();
      this.#fail(progress.error);
      throw progress.error;
    }
    this.#pass();
    this.#running = this.#supervise(run);
  }

  /** Aborts it and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#state = "stopped";
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Starts the discovery; what an earlier start still reports is ignored. */
  #begin(): Run {
    const { store, instruments } = this.#options;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    this.#stopping.signal.addEventListener("abort", abort, { once: true });
    store.beginPass();
    const notifier = createDiscoveryNotifier(store, {
      signal: controller.signal,
      onIgnored: () => instruments.ignoredCalls.add(1, { discovery: this.#name }),
    });
    const started = call(() => this.#discovery.start(notifier, { signal: controller.signal }));
    const ended = started
      .then(
        () => this.#failed("it ended although nobody stopped it"),
        (error: unknown) => this.#failed(messageOf(error), error),
      )
      .finally(() => this.#stopping.signal.removeEventListener("abort", abort));
    const ready = call(() => this.#discovery.ready());
    const progress = Promise.race([
      ended.then((error): Progress => ({ ready: false, error })),
      ready.then(
        (): Progress => ({ ready: true }),
        (error: unknown): Progress => ({
          ready: false,
          error: this.#failed(messageOf(error), error),
        }),
      ),
    ]);
    return { progress, ended, abort };
  }

  /** Waits for a run to end, and starts the next, until stopped. */
  async #supervise(first: Run): Promise<void> {
    const { clock } = this.#options;
    let attempt = 0;
    for (let run = first; ; run = this.#begin()) {
      const startedAt = clock.monotonic();
      // the first one is ready already
      const progress: Progress = run === first ? { ready: true } : await run.progress;
      if (progress.ready && run !== first && !this.#stopped) this.#pass();
      if (!progress.ready) run.abort();
      const ended = await run.ended;
      run.abort();
      if (this.#stopped) return;
      if (progress.ready && clock.monotonic() - startedAt > restartCap) attempt = 0;
      this.#fail(progress.ready ? ended : progress.error);
      const wait = backOff(attempt++, { initial: firstRestart, cap: restartCap });
      await delay(clock, wait, this.#stopping.signal);
      if (this.#stopped) return;
    }
  }

  /** A pass is complete. */
  #pass(): void {
    const { store, logger } = this.#options;
    const again = this.#state === "degraded";
    this.#state = "running";
    this.#error = undefined;
    store.completePass();
    store.setDegraded(false);
    const fields = { discovery: this.#name, endpoints: store.size };
    logger.info(fields, again ? "discovery works again" : "discovery is ready");
  }

  #fail(error: MusterError): void {
    const { store, logger, instruments } = this.#options;
    instruments.discoveryFailures.add(1, { discovery: this.#name });
    const { code, message } = error;
    const repeated = this.#state === "degraded" && this.#error?.code === code;
    this.#error = error;
    if (this.#state === "starting") return;
    this.#state = "degraded";
    store.setDegraded(true);
    const fields = { discovery: this.#name, code, error: message };
    if (repeated) logger.debug(fields, "discovery failed again");
    else logger.error(fields, "discovery failed; its endpoints are kept while it is restarted");
  }

  #failed(what: string, cause?: unknown): MusterError {
    const plugin = this.#discovery.typedName;
    if (cause === undefined)
      return new MusterError("DISCOVERY_FAILED", `${this.#name}: ${what}`, { plugin });
    return toMusterError(cause, "DISCOVERY_FAILED", { plugin });
  }
}

/** Calls foreign code that should give a promise; a throw becomes a rejection. */
async function call(work: () => Promise<void>): Promise<void> {
  await work();
}
