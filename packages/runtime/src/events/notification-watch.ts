import {
  type AnyExtractor,
  type Clock,
  createEndpoint,
  createEndpointMetadata,
  delay,
  formatGroupVersionKind,
  type Logger,
  MusterError,
  type NotificationEvent,
  type NotificationSource,
  type ObjectWatcher,
  toMusterError,
} from "@muster/core";
import { createWriteHandle, type WriteHandle } from "@muster/core/dispatch";
import type { WatchStatus } from "../fleet.ts";
import { backOff } from "../lifecycle/back-off.ts";
import { followed } from "../lifecycle/followed.ts";
import type { Instruments } from "../telemetry/instruments.ts";
import type { WiredSource } from "../wiring/wiring.ts";
import type { EventRunner } from "./event-runner.ts";
import { ObjectVersions } from "./object-versions.ts";
import { WatchCondition } from "./watch-condition.ts";

/** ms before a watch that ended is opened again, and at most. */
const restart = { initial: 500, cap: 30_000 };

/** What a {@link NotificationWatch} needs. */
export interface NotificationWatchOptions {
  readonly watcher: ObjectWatcher;
  readonly runner: EventRunner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly instruments: Instruments;
  readonly signal: AbortSignal;
}

/**
 * Takes the changes of one Kubernetes kind to its notification source, one at a time and in order: a
 * slow extractor holds up its own watch only. A watch that ends or fails is opened again with
 * jittered back-off; it then lists every object anew, of which only those that changed are delivered.
 */
export class NotificationWatch {
  readonly #source: NotificationSource;
  readonly #extractors: readonly AnyExtractor[];
  readonly #options: NotificationWatchOptions;
  readonly #kind: string;
  readonly #versions: ObjectVersions;
  readonly #condition: WatchCondition;

  constructor(
    source: NotificationSource,
    extractors: WiredSource["extractors"],
    options: NotificationWatchOptions,
  ) {
    this.#source = source;
    this.#extractors = extractors.map(({ extractor }) => extractor);
    this.#options = options;
    this.#kind = formatGroupVersionKind(source.gvk);
    this.#versions = new ObjectVersions(source.gvk);
    this.#condition = new WatchCondition(source, this.#kind, options.instruments);
  }

  get status(): WatchStatus {
    const { watcher } = this.#options;
    return { ...this.#condition.status, ...followed(() => watcher.follows?.(this.#source.gvk)) };
  }

  /** Watches until the signal aborts; never rejects. */
  async run(): Promise<void> {
    this.#condition.run(true);
    await this.#reopen();
    this.#condition.run(false);
  }

  async #reopen(): Promise<void> {
    const { clock, signal, logger } = this.#options;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const openedAt = clock.monotonic();
      const { code, message: error } = await this.#watch();
      if (signal.aborted) return;
      logger.warn(
        { kind: this.#kind, code, error },
        "watch of a Kubernetes kind ended; opening it again",
      );
      if (clock.monotonic() - openedAt > restart.cap) attempt = 0;
      await delay(clock, backOff(attempt, restart), signal);
    }
  }

  /** Why the watch ended. */
  async #watch(): Promise<MusterError> {
    const ended = await this.#follow();
    if (!this.#options.signal.aborted) this.#condition.set(ended);
    return ended;
  }

  async #follow(): Promise<MusterError> {
    const { watcher, signal } = this.#options;
    const onInterruption = (reason: MusterError | undefined): void => this.#condition.set(reason);
    this.#condition.set(undefined);
    try {
      for await (const event of watcher.watch(this.#source.gvk, { signal, onInterruption })) {
        if (signal.aborted) break;
        const admitted = this.#versions.admit(event);
        if (admitted !== undefined) await this.#run(admitted);
      }
      return new MusterError("WATCH_ENDED", "it ended");
    } catch (error) {
      return toMusterError(error, "WATCH_ENDED");
    }
  }

  #run(event: NotificationEvent): Promise<void> {
    const { namespace = "", name = "" } = event.object.metadata ?? {};
    const handle = nowhere();
    return this.#options.runner.run<NotificationEvent>(
      {
        source: this.#source,
        extractors: this.#extractors,
        signal: this.#options.signal,
        subject: `${this.#kind} ${namespace}/${name}`,
        notify: (options) => this.#source.notify(event, options),
        give: (given) => ({ input: given, handle }),
      },
      handle,
    );
  }
}

/** A notification comes with no endpoint: the handle that a time-out kills leads nowhere. */
function nowhere(): WriteHandle {
  const metadata = createEndpointMetadata({ name: "none", address: "localhost", port: 1 });
  return createWriteHandle(createEndpoint(metadata));
}
