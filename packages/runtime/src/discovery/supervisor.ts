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
import { followed } from "../lifecycle/followed.ts";
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
  /** Settles once; never rejects. A complete pass has been taken over by then. */
  readonly progress: Promise<Progress>;
  /** Resolves when it says that it has to wait for its source. */
  readonly waiting: Promise<undefined>;
  /** Resolves with the reason when it has ended; never rejects. */
  readonly ended: Promise<MusterError>;
  readonly abort: () => void;
}

/**
 * Runs one discovery for as long as the runtime lives. A failure before its first complete pass is an
 * error of the start, unless it had said before that it has to wait. After that it is restarted with
 * jittered back-off; meanwhile its endpoints are kept and shown as degraded, and when it is ready
 * again those it did not report again are deleted. A start that resolves without having been aborted
 * counts as a failure: whatever it watched, nobody watches it now.
 *
 * One that goes on without its source says so itself, until it has recovered (ADR 0004).
 */
export class DiscoverySupervisor {
  /** Resolves after the first complete pass; never when there is none. */
  readonly firstPass: Promise<void>;
  readonly #discovery: EndpointDiscovery;
  readonly #options: SupervisorOptions;
  readonly #name: string;
  readonly #stopping = new AbortController();
  #passed = false;
  #markPassed: () => void = () => undefined;
  /** Why the last run ended, until a later one is ready. */
  #failure: MusterError | undefined;
  /** What the present run says of its source. */
  #outage: MusterError | undefined;
  #stopDone = false;
  #running: Promise<void> = Promise.resolve();

  constructor(discovery: EndpointDiscovery, options: SupervisorOptions) {
    this.#discovery = discovery;
    this.#options = options;
    this.#name = formatTypedName(discovery.typedName);
    this.firstPass = new Promise((resolve) => {
      this.#markPassed = resolve;
    });
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
      ...followed(() => this.#discovery.follows?.()),
    };
  }

  /**
   * Resolves when the first pass is complete, when the discovery says why it has to wait, or when
   * stopped before.
   *
   * @throws MusterError of the discovery, or DISCOVERY_FAILED.
   */
  async start(): Promise<void> {
    const run = this.#begin();
    this.#running = run.ended.then(() => undefined);
    const progress = await Promise.race([run.progress, run.waiting]);
    if (this.#stopped) return;
    if (progress?.ready === false) {
      run.abort();
      this.#fail(progress.error);
      throw progress.error;
    }
    this.#running = this.#supervise(run);
  }

  /** Aborts it and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#stopDone = true;
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #error(): MusterError | undefined {
    return this.#outage ?? this.#failure;
  }

  get #state(): DiscoveryStatus["state"] {
    if (this.#stopDone) return "stopped";
    if (!this.#passed) return "starting";
    return this.#error === undefined ? "running" : "degraded";
  }

  /** Starts the discovery; what an earlier start still reports is ignored. */
  #begin(): Run {
    const { store, instruments } = this.#options;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    this.#stopping.signal.addEventListener("abort", abort, { once: true });
    store.beginPass();
    let wait: (_: undefined) => void = () => undefined;
    const waiting = new Promise<undefined>((resolve) => {
      wait = resolve;
    });
    const notifier = createDiscoveryNotifier(
      {
        endpointUpsert: (metadata, options) => store.endpointUpsert(metadata, options),
        endpointDelete: (id) => store.endpointDelete(id),
        discoveryDegraded: (reason) => {
          this.#degraded(toMusterError(reason, "DISCOVERY_FAILED"));
          wait(undefined);
        },
        discoveryRecovered: () => this.#recovered(),
      },
      {
        signal: controller.signal,
        onIgnored: () => instruments.ignoredCalls.add(1, { discovery: this.#name }),
      },
    );
    const started = call(() => this.#discovery.start(notifier, { signal: controller.signal }));
    const ended = started
      .then(
        () => this.#failed("it ended although nobody stopped it"),
        (error: unknown) => this.#failed(messageOf(error), error),
      )
      .finally(() => this.#stopping.signal.removeEventListener("abort", abort));
    return { progress: this.#progressOf(ended), waiting, ended, abort };
  }

  /** How the run just started goes on. */
  async #progressOf(ended: Promise<MusterError>): Promise<Progress> {
    const ready = call(() => this.#discovery.ready());
    const progress = await Promise.race([
      ended.then((error): Progress => ({ ready: false, error })),
      ready.then(
        (): Progress => ({ ready: true }),
        (error: unknown): Progress => ({
          ready: false,
          error: this.#failed(messageOf(error), error),
        }),
      ),
    ]);
    if (progress.ready && !this.#stopped) this.#pass();
    return progress;
  }

  /** Waits for a run to end, and starts the next, until stopped. */
  async #supervise(first: Run): Promise<void> {
    const { clock } = this.#options;
    let attempt = 0;
    for (let run = first; ; run = this.#begin()) {
      const startedAt = clock.monotonic();
      const progress = await run.progress;
      if (!progress.ready) run.abort();
      const ended = await run.ended;
      run.abort();
      if (this.#stopped) return;
      if (progress.ready && clock.monotonic() - startedAt > restartCap) attempt = 0;
      this.#restart(progress.ready ? ended : progress.error);
      const wait = backOff(attempt++, { initial: firstRestart, cap: restartCap });
      await delay(clock, wait, this.#stopping.signal);
      if (this.#stopped) return;
    }
  }

  /** A pass is complete. */
  #pass(): void {
    const { store, logger } = this.#options;
    const again = this.#failure !== undefined && this.#passed;
    this.#passed = true;
    this.#failure = undefined;
    store.completePass();
    this.#show();
    const fields = { discovery: this.#name, endpoints: store.size };
    logger.info(fields, again ? "discovery works again" : "discovery is ready");
    this.#markPassed();
  }

  /** The run ended. */
  #fail(error: MusterError): void {
    this.#options.instruments.discoveryFailures.add(1, { discovery: this.#name });
    this.#failure = error;
    this.#outage = undefined;
    this.#show();
  }

  /** The run ended, and another one will follow. */
  #restart(error: MusterError): void {
    const { logger } = this.#options;
    const { code, message } = error;
    const repeated = this.#failure?.code === code;
    this.#fail(error);
    const fields = { discovery: this.#name, code, error: message };
    if (repeated) logger.debug(fields, "discovery failed again");
    else logger.error(fields, "discovery failed; its endpoints are kept while it is restarted");
  }

  /** The run goes on without its source. */
  #degraded(reason: MusterError): void {
    const { logger, instruments } = this.#options;
    const { code, message } = reason;
    const before = this.#outage;
    this.#outage = reason;
    this.#show();
    if (before === undefined) instruments.discoveryOutages.add(1, { discovery: this.#name });
    if (before?.code === code) return;
    logger.warn(
      { discovery: this.#name, code, error: message },
      this.#passed
        ? "discovery has lost its source; its endpoints are kept"
        : "discovery waits for its source",
    );
  }

  #recovered(): void {
    if (this.#outage === undefined) return;
    this.#outage = undefined;
    this.#show();
    this.#options.logger.info({ discovery: this.#name }, "discovery has its source again");
  }

  /** Shows its endpoints as degraded, or not. */
  #show(): void {
    this.#options.store.setDegraded(this.#passed && this.#error !== undefined);
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
