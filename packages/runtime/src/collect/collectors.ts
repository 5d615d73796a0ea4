import {
  type Clock,
  type EndpointMetadata,
  type Logger,
  MusterError,
  messageOf,
} from "@muster/core";
import { PolledFreshness } from "../freshness/polled-freshness.ts";
import type { EndpointRecord } from "../store/endpoint-record.ts";
import type { RecordStore, StoreListener } from "../store/record-store.ts";
import { ExtractWatch } from "../telemetry/extract-watch.ts";
import type { Instruments } from "../telemetry/instruments.ts";
import { StateBoard, type StateCause } from "../telemetry/state-board.ts";
import type { PollBinding } from "./poll-binding.ts";
import { type PollContext, PollSession } from "./poll-session.ts";
import type { PollTask } from "./poll-task.ts";
import { Scheduler } from "./scheduler.ts";
import { TrackedFreshness } from "./tracked-freshness.ts";

/** ms between two looks at what changes by time alone, when nothing else wakes the scheduler. */
const housekeepingInterval = 1000;

/** What {@link Collectors} need. */
export interface CollectorsOptions {
  readonly store: RecordStore;
  readonly bindings: readonly PollBinding[];
  readonly clock: Clock;
  /** Limited: it may be told of every endpoint of a fleet at once. */
  readonly logger: Logger;
  readonly instruments: Instruments;
}

/** The freshness of one endpoint by each source and, while it is polled, its polls. */
interface Polling {
  readonly sources: readonly TrackedFreshness[];
  session: PollSession | undefined;
}

/**
 * Polls every endpoint of a store by every polling source, and keeps their freshness. One endpoint's
 * polls never wait for another's: there is no common limit, so servers that hang hold up nobody.
 */
export class Collectors implements StoreListener {
  readonly #options: CollectorsOptions;
  readonly #scheduler: Scheduler;
  readonly #board: StateBoard;
  readonly #context: PollContext;
  readonly #pollings = new Map<EndpointRecord, Polling>();
  /** Whom `firstRound` waits for. */
  readonly #unheard = new Set<TrackedFreshness>();
  #onAllHeard: (() => void) | undefined;
  #tasks = 0;
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: CollectorsOptions) {
    const { clock, logger, instruments } = options;
    this.#options = options;
    this.#board = new StateBoard(logger, instruments.endpoints);
    const extracts = new ExtractWatch(logger, instruments.extractErrors);
    const onWake = (lateness: number): void => {
      instruments.tickLateness.observe(lateness / 1000);
      this.#sweep(clock.monotonic());
    };
    this.#scheduler = new Scheduler({ clock, onWake });
    this.#context = {
      clock,
      count: () => this.#tasks,
      goneReason: new MusterError(
        "HANDLE_DEAD",
        "the endpoint was removed or moved, or polling ended",
      ),
      began: () => {
        this.#inFlight += 1;
      },
      ended: (task) => this.#ended(task),
      observe: ({ labels }, duration) => instruments.pollDuration.observe(duration / 1000, labels),
      extracted: (task, result) => extracts.look(task, result),
      pollFailed: ({ binding }) => instruments.pollErrors.add(1, binding.labels),
      settled: (task, at, message) => this.#settled(task.freshness, at.monotonic, message),
    };
  }

  start(): void {
    const { clock } = this.#options;
    this.#scheduler.add({
      due: clock.monotonic() + housekeepingInterval,
      cancelled: false,
      next: (now) => now + housekeepingInterval,
      run: (now) => this.#measure(now),
    });
    this.#scheduler.start();
  }

  /** Resolves when nothing is in flight any more; from the call on, nothing writes. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Resolves when every endpoint that is polled now has had one outcome from each source. */
  firstRound(): Promise<void> {
    for (const { session, sources } of this.#pollings.values())
      for (const freshness of session === undefined ? [] : sources)
        if (freshness.reference === undefined) this.#unheard.add(freshness);
    return new Promise((resolve) => {
      this.#onAllHeard = resolve;
      this.#heard();
    });
  }

  added(record: EndpointRecord): void {
    const { bindings, clock } = this.#options;
    if (bindings.length > 0) {
      const sources = bindings.map((binding) => new TrackedFreshness(record, binding));
      record.freshness = new PolledFreshness(
        sources.map((freshness) => {
          const { name, counts } = freshness.binding;
          return { source: name, freshness, counts };
        }),
      );
      const polling = { sources, session: undefined };
      this.#pollings.set(record, polling);
      this.#switch(record, polling);
    }
    this.#board.show(record, record.freshness.state(clock.monotonic()));
  }

  updated(record: EndpointRecord, before: EndpointMetadata): void {
    const polling = this.#pollings.get(record);
    const { metadata } = record.server;
    if (polling === undefined || !targetDiffers(before, metadata)) return;
    this.#end(polling);
    for (const freshness of polling.sources) freshness.retarget();
    this.#switch(record, polling);
    this.#board.show(record, record.freshness.state(this.#options.clock.monotonic()));
  }

  removed(record: EndpointRecord): void {
    const polling = this.#pollings.get(record);
    this.#pollings.delete(record);
    this.#board.forget(record);
    if (polling === undefined) return;
    this.#end(polling);
    this.#forget(polling.sources);
    for (const { binding } of polling.sources) this.#release(binding, record.id);
  }

  #stop(): Promise<void> {
    this.#scheduler.stop();
    for (const polling of this.#pollings.values()) this.#end(polling);
    this.#board.flush();
    return new Promise((resolve) => {
      if (this.#inFlight === 0) resolve();
      else this.#onIdle = resolve;
    });
  }

  /** Begins to poll, unless polling is off for the endpoint. */
  #switch(record: EndpointRecord, polling: Polling): void {
    const { enabled } = record.server.metadata.metrics;
    for (const freshness of polling.sources) freshness.setPolled(enabled);
    if (!enabled) {
      this.#forget(polling.sources);
      return;
    }
    this.#tasks += polling.sources.length;
    polling.session = new PollSession(record, polling.sources, this.#context);
    for (const task of polling.session.tasks) this.#scheduler.add(task);
  }

  #end(polling: Polling): void {
    const { session } = polling;
    if (session === undefined) return;
    polling.session = undefined;
    session.stop();
    this.#tasks -= session.tasks.length;
    this.#scheduler.forget(session.tasks.length);
  }

  /** Nothing is heard of them any more, nor do they age. */
  #forget(sources: readonly TrackedFreshness[]): void {
    for (const freshness of sources) {
      freshness.binding.ages.remove(freshness);
      this.#heardOf(freshness);
    }
  }

  #ended({ session, binding }: PollTask): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#onIdle?.();
    const { record } = session;
    // what was in flight may have left state behind after the first release
    if (record.removed && !this.#options.store.records.has(record.id))
      this.#release(binding, record.id);
  }

  #settled(freshness: TrackedFreshness, now: number, message?: string): void {
    const { record, errorCode } = freshness;
    const changed = freshness.takeChanged(now);
    const wrote = record.takeChanged();
    if (changed) this.#show(record, now, { errorCode, message });
    if (changed || wrote) this.#options.store.changed(record);
    this.#heardOf(freshness);
  }

  #show(record: EndpointRecord, now: number, cause: StateCause): void {
    this.#board.show(record, record.freshness.state(now), cause);
  }

  #heardOf(freshness: TrackedFreshness): void {
    if (this.#unheard.delete(freshness)) this.#heard();
  }

  #heard(): void {
    if (this.#unheard.size === 0) this.#onAllHeard?.();
  }

  #sweep(now: number): void {
    for (const { ages } of this.#options.bindings)
      ages.sweep(now, (freshness) => this.#settled(freshness, now));
  }

  #measure(now: number): void {
    const { bindings, instruments } = this.#options;
    this.#board.flush();
    for (const { ages, labels } of bindings) {
      const { reference } = ages.oldest ?? {};
      if (reference === undefined) instruments.oldestSuccess.remove(labels);
      else instruments.oldestSuccess.set((now - reference) / 1000, labels);
    }
  }

  #release(binding: PollBinding, id: string): void {
    try {
      binding.source.release?.(id);
    } catch (error) {
      const fields = { source: binding.name, endpoint: id, error: messageOf(error) };
      this.#options.logger.error(fields, "source failed to release an endpoint");
    }
  }
}

/** Whether the polls of an endpoint have to begin anew: it is scraped elsewhere, or not any more. */
function targetDiffers(a: EndpointMetadata, b: EndpointMetadata): boolean {
  return (
    a.metricsHost !== b.metricsHost ||
    a.metrics.scheme !== b.metrics.scheme ||
    a.metrics.path !== b.metrics.path ||
    a.metrics.enabled !== b.metrics.enabled
  );
}
