import {
  type Clock,
  createPluginContext,
  delay,
  isMusterError,
  type Logger,
  type MusterError,
  type PluginContext,
  toMusterError,
} from "@muster/core";
import type { KubeApi, KubeQuery } from "../api/kube-api.ts";
import { formatResource, type KubeResource, resourcePath } from "../api/resource.ts";
import { EventStream } from "./event-stream.ts";
import { type ReflectorInstruments, reflectorInstruments } from "./instruments.ts";
import { KnownObjects } from "./known-objects.ts";
import type { KubeObject } from "./kube-object.ts";
import { listObjects } from "./list-objects.ts";
import { PendingEvents } from "./pending-events.ts";
import type { ReflectorEvent, ReflectorState } from "./reflector-event.ts";
import { defaultTiming, jittered, type ReflectorTiming, retryWait } from "./timing.ts";
import { watchObjects } from "./watch-objects.ts";

/** What to follow. */
export interface ReflectorOptions {
  readonly api: KubeApi;
  readonly resource: KubeResource;
  /** Unset: all namespaces, or a resource without namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly timing?: Partial<ReflectorTiming> | undefined;
}

/** Options of {@link Reflector.events}. */
export interface ReflectorRunOptions {
  readonly signal: AbortSignal;
  /**
   * Called with the reason when the resource cannot be followed any more (or not yet), and with
   * undefined when it is followed again.
   */
  readonly onInterruption?: ((problem: MusterError | undefined) => void) | undefined;
}

/** Follows the objects of one resource, whatever happens to the watch. */
export interface Reflector<T extends KubeObject = KubeObject> {
  /**
   * Lists and watches until `signal` aborts or the iterator is returned; never throws. Objects are
   * frozen at their top and shared. One run at a time.
   */
  events(options: ReflectorRunOptions): AsyncIterableIterator<ReflectorEvent<T>>;
  readonly state: ReflectorState;
}

/** Makes a reflector; nothing is asked before it runs. */
export function createReflector<T extends KubeObject = KubeObject>(
  options: ReflectorOptions,
  context: Partial<PluginContext> = {},
): Reflector<T> {
  return new ListAndWatch<T>(options, createPluginContext(context));
}

class ListAndWatch<T extends KubeObject> implements Reflector<T> {
  readonly #api: KubeApi;
  readonly #path: string;
  readonly #query: KubeQuery;
  readonly #timing: ReflectorTiming;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #instruments: ReflectorInstruments;
  readonly #labels: { readonly resource: string };
  #known: KnownObjects<T> | undefined;
  #lastSync: number | undefined;
  #restarts = 0;
  #resourceVersion: string | undefined;
  #problem: MusterError | undefined;

  constructor(options: ReflectorOptions, { clock, logger, metrics }: PluginContext) {
    const { resource, namespace, labelSelector, fieldSelector } = options;
    this.#api = options.api;
    this.#path = resourcePath(resource, { namespace });
    this.#query = { labelSelector, fieldSelector };
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#clock = clock;
    this.#logger = logger;
    this.#instruments = reflectorInstruments(metrics);
    this.#labels = { resource: formatResource(resource) };
  }

  get state(): ReflectorState {
    return {
      objects: this.#known?.size ?? 0,
      lastSync: this.#lastSync,
      restarts: this.#restarts,
      resourceVersion: this.#resourceVersion,
      problem: this.#problem,
    };
  }

  events(options: ReflectorRunOptions): AsyncIterableIterator<ReflectorEvent<T>> {
    const pending = new PendingEvents<T>();
    const known = new KnownObjects<T>(pending);
    this.#known = known;
    return new EventStream<ReflectorEvent<T>>({
      signal: options.signal,
      next: () => pending.next(),
      run: (signal, wake) =>
        this.#run({ known, pending, signal, wake, onInterruption: options.onInterruption }),
    });
  }

  async #run(run: Run<T>): Promise<void> {
    for (let failures = 0; !run.signal.aborted; ) {
      const listed = await this.#list(run);
      // a watch that lasted shows that what failed before is over
      const lasted = listed && (await this.#watch(run));
      failures = lasted ? 0 : failures + 1;
      if (run.signal.aborted || failures === 0) continue;
      const { retryInitial, retryCap } = this.#timing;
      await delay(this.#clock, retryWait(failures - 1, retryInitial, retryCap), run.signal);
    }
  }

  async #list({ known, pending, signal, wake, onInterruption }: Run<T>): Promise<boolean> {
    const { lists, objects, lastSync } = this.#instruments;
    try {
      this.#resourceVersion = await listObjects({
        api: this.#api,
        path: this.#path,
        query: this.#query,
        known,
        signal,
        onMalformed: this.#onMalformed,
      });
    } catch (error) {
      if (!signal.aborted) this.#fail(error, onInterruption);
      wake();
      return false;
    }
    this.#lastSync = this.#clock.now();
    lists.add(1, this.#labels);
    objects.set(known.size, this.#labels);
    lastSync.set(this.#lastSync / 1000, this.#labels);
    pending.synced();
    wake();
    if (this.#problem !== undefined) {
      this.#problem = undefined;
      this.#logger.info(this.#labels, "the Kubernetes resource is followed again");
      onInterruption?.(undefined);
    }
    return true;
  }

  /** Watches until everything has to be listed again; resolves to whether it went well for a while. */
  async #watch(run: Run<T>): Promise<boolean> {
    const { clock, timing } = { clock: this.#clock, timing: this.#timing };
    const begun = clock.monotonic();
    const until = begun + jittered(timing.relist);
    for (let short = 0; !run.signal.aborted && clock.monotonic() < until; ) {
      const started = clock.monotonic();
      const { resourceVersion, problem } = await this.#watchOnce(run, until - started);
      if (run.signal.aborted) break;
      if (problem !== undefined) {
        this.#fail(problem, run.onInterruption);
        return clock.monotonic() - begun >= timing.healthy;
      }
      this.#resourceVersion = resourceVersion;
      short = clock.monotonic() - started >= timing.healthy ? 0 : short + 1;
      if (short > 0)
        await delay(
          clock,
          retryWait(short - 1, timing.retryInitial, timing.reconnectCap),
          run.signal,
        );
    }
    return true;
  }

  async #watchOnce({ known, signal, wake }: Run<T>, limit: number) {
    const { watches, objects } = this.#instruments;
    watches.add(1, this.#labels);
    const end = await watchObjects({
      api: this.#api,
      path: this.#path,
      query: this.#query,
      resourceVersion: this.#resourceVersion ?? "",
      known,
      clock: this.#clock,
      signal,
      timeout: jittered(this.#timing.watchTimeout),
      silence: this.#timing.silence,
      limit,
      onMalformed: this.#onMalformed,
      onProgress: wake,
    });
    objects.set(known.size, this.#labels);
    return end;
  }

  readonly #onMalformed = (): void => {
    this.#instruments.malformed.add(1, this.#labels);
  };

  /** One line per change of what is wrong; too old a revision is nothing wrong. */
  #fail(cause: unknown, onInterruption: Run<T>["onInterruption"]): void {
    const error = toMusterError(cause, "INTERNAL");
    this.#restarts += 1;
    this.#instruments.errors.add(1, { ...this.#labels, code: error.code });
    if (isMusterError(cause) && cause.code === "KUBE_GONE") return;
    const repeated = this.#problem?.code === error.code;
    this.#problem = error;
    const fields = { ...this.#labels, code: error.code, error: error.message };
    if (repeated) this.#logger.debug(fields, "the Kubernetes resource still cannot be followed");
    else this.#logger.warn(fields, "the Kubernetes resource cannot be followed; trying again");
    onInterruption?.(error);
  }
}

interface Run<T extends KubeObject> {
  readonly known: KnownObjects<T>;
  readonly pending: PendingEvents<T>;
  readonly signal: AbortSignal;
  /** There may be something to read. */
  readonly wake: () => void;
  readonly onInterruption: ((problem: MusterError | undefined) => void) | undefined;
}
