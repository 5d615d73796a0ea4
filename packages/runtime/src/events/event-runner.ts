import {
  type AnyExtractor,
  type Clock,
  type DataSource,
  type ExtractOptions,
  type Extractor,
  formatTypedName,
  type Logger,
  messageOf,
} from "@muster/core";
import { type RunExtractorOptions, runExtractor, type WriteHandle } from "@muster/core/dispatch";
import type { Instruments } from "../telemetry/instruments.ts";

/** ms that a source and each extractor may take for an event: as for polls, the original's 1 s. */
const stepTimeout = 1000;

/** What an {@link EventRunner} needs. */
export interface EventRunnerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly instruments: Instruments;
}

/** An event on its way through a source. */
export interface EventStep<Event> {
  readonly source: DataSource;
  /** The event for the extractors, or nothing to skip them. */
  notify(options: ExtractOptions): Event | undefined | Promise<Event | undefined>;
  readonly extractors: readonly AnyExtractor[];
  /** What an extractor gets of the event, and the handle that dies when it takes too long. */
  give(
    event: Event,
    extractor: AnyExtractor,
  ): { readonly input: Event; readonly handle: WriteHandle };
  /** What the event is about, for logs. */
  readonly subject: string;
  /** Cuts it short at stop. Not one for all events: each step in flight listens to it. */
  readonly signal: AbortSignal;
}

/**
 * Runs events through sources and their extractors under the rules of polling: each step has its own
 * time-out, a failure is counted and logged, and stops neither the next extractor nor the next event.
 */
export class EventRunner {
  readonly #options: EventRunnerOptions;

  constructor(options: EventRunnerOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async run<Event>(step: EventStep<Event>, handle: WriteHandle): Promise<void> {
    const event = await this.#notify(step, handle);
    if (event === undefined) return;
    for (const extractor of step.extractors) {
      const { input, handle: own } = step.give(event, extractor);
      const { signal } = step;
      const run = { handle: own, input: () => input, signal };
      const failure = await this.#step(extractor as Extractor<Event>, run);
      const { instruments, logger } = this.#options;
      if (signal.aborted) return;
      if (failure === undefined) continue;
      const { code, message: error } = failure;
      const { typedName } = step.source;
      instruments.extractErrors.add(1, {
        source_type: typedName.type,
        extractor_type: extractor.typedName.type,
      });
      const fields = { source: formatTypedName(typedName), subject: step.subject, code, error };
      logger.warn(
        { ...fields, extractor: formatTypedName(extractor.typedName) },
        "extractor failed on an event",
      );
    }
  }

  /** Lets extractors drop what they keep for an endpoint that is gone. */
  release(extractors: readonly AnyExtractor[], endpointId: string): void {
    for (const extractor of extractors)
      try {
        extractor.release?.(endpointId);
      } catch (error) {
        const fields = { endpoint: endpointId, error: messageOf(error) };
        this.#options.logger.error(
          { ...fields, extractor: formatTypedName(extractor.typedName) },
          "extractor failed to release an endpoint",
        );
      }
  }

  /** The source's own step, run like an extractor whose result is the event. */
  async #notify<Event>(step: EventStep<Event>, handle: WriteHandle): Promise<Event | undefined> {
    const { source } = step;
    let event: Event | undefined;
    const notifier: Extractor<unknown> = {
      typedName: source.typedName,
      extract(_input, options) {
        const given = step.notify(options);
        if (!isThenable(given)) event = given;
        else
          return given.then((later) => {
            event = later;
          });
      },
    };
    const { signal } = step;
    const failure = await this.#step(notifier, { handle, input: () => undefined, signal });
    if (failure === undefined) return event;
    const { instruments, logger } = this.#options;
    if (signal.aborted) return undefined;
    const { code, message: error } = failure;
    instruments.notifyErrors.add(1, { source_type: source.typedName.type });
    const fields = {
      source: formatTypedName(source.typedName),
      subject: step.subject,
      code,
      error,
    };
    logger.warn(fields, "source failed on an event");
    return undefined;
  }

  #step<In>(
    extractor: Extractor<In>,
    run: Pick<RunExtractorOptions<In>, "handle" | "input" | "signal">,
  ): ReturnType<typeof runExtractor> {
    const { clock } = this.#options;
    return runExtractor(extractor, { ...run, clock, timeout: stepTimeout });
  }
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.then === "function";
}
