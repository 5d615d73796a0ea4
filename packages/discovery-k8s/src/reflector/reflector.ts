import {
  type Clock,
  createPluginContext,
  delay,
  type MusterError,
  type PluginContext,
  toMusterError,
} from "@muster/core";
import type { KubeApi, KubeQuery } from "../api/kube-api.ts";
import { retryAfterOf } from "../api/kube-error.ts";
import { formatResource, type KubeResource, resourcePath } from "../api/resource.ts";
import { EventStream } from "./event-stream.ts";
import { Health, type OnInterruption } from "./health.ts";
import { KnownObjects } from "./known-objects.ts";
import type { KubeObject } from "./kube-object.ts";
import { listObjects } from "./list-objects.ts";
import { PendingEvents } from "./pending-events.ts";
import type { ReflectorEvent, ReflectorState } from "./reflector-event.ts";
import { defaultTiming, jittered, type ReflectorTiming, retryWait, serverWait } from "./timing.ts";
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
  /** Value of the metrics' label `reflector`; default the plugin's name. */
  readonly name?: string | undefined;
  /**
   * Reads a list, or one line of a watch; default `JSON.parse`, which rounds large numbers. What it
   * throws is a reason to list again.
   */
  readonly parse?: ((text: string) => unknown) | undefined;
}

/** Options of {@link Reflector.events}. */
export interface ReflectorRunOptions {
  readonly signal: AbortSignal;
  /**
   * Called with the reason when the resource cannot be followed any more (or not yet), and with
   * undefined when it is followed again: listed, and the watch is open. A `Synced` that was not read
   * before an interruption is not given; the next complete list brings one.
   */
  readonly onInterruption?: OnInterruption | undefined;
}

/** Follows the objects of one resource, whatever happens to the watch. */
export interface Reflector<T extends KubeObject = KubeObject> {
  /**
   * Lists and watches until `signal` aborts or the iterator is returned; never throws. Begins with the
   * first `next()`; a slow reader misses steps, but no outcome. Objects are frozen through and through.
   * One run at a time.
   */
  events(options: ReflectorRunOptions): AsyncIterableIterator<ReflectorEvent<T>>;
  /** What it follows, such as `pods in serving`; without namespace, `pods`. */
  readonly what: string;
  readonly state: ReflectorState;
}

/** Makes a reflector; nothing is asked before it runs. */
export function createReflector<T extends KubeObject = KubeObject>(
  options: ReflectorOptions,
  context: Partial<PluginContext> = {},
): Reflector<T> {
  return new ListAndWatch<T>(options, createPluginContext(context));
}

/** How one list and the watches after it ended. */
interface Round {
  /** Undefined: the time for a new list has come, or a watch ended early but in order. */
  readonly problem?: MusterError;
  /** It is simply time for a new list. */
  readonly due?: true;
  /** It went well for a while: what failed before is over. */
  readonly lasted: boolean;
}

class ListAndWatch<T extends KubeObject> implements Reflector<T> {
  readonly what: string;
  readonly #options: ReflectorOptions;
  readonly #path: string;
  readonly #query: KubeQuery;
  readonly #timing: ReflectorTiming;
  readonly #clock: Clock;
  readonly #health: Health;

  constructor(options: ReflectorOptions, context: PluginContext) {
    const { resource, namespace, labelSelector, fieldSelector } = options;
    const plural = formatResource(resource);
    this.what = namespace === undefined ? plural : `${plural} in ${namespace}`;
    this.#options = options;
    this.#path = resourcePath(resource, { namespace });
    this.#query = { labelSelector, fieldSelector };
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#clock = context.clock;
    this.#health = new Health(context, {
      reflector: options.name ?? context.name ?? "",
      resource: plural,
      namespace: namespace ?? "",
    });
  }

  get state(): ReflectorState {
    return this.#health.state;
  }

  events(options: ReflectorRunOptions): AsyncIterableIterator<ReflectorEvent<T>> {
    const pending = new PendingEvents<T>();
    const known = new KnownObjects<T>(pending);
    const { onInterruption } = options;
    return new EventStream<ReflectorEvent<T>>({
      signal: options.signal,
      next: () => pending.next(),
      run: (signal, wake) => this.#run({ known, pending, signal, wake, onInterruption }),
    });
  }

  async #run(run: Run<T>): Promise<void> {
    const { signal } = run;
    for (let failures = 0; !signal.aborted; ) {
      const round = await this.#round(run);
      if (signal.aborted) break;
      if (round.due) {
        failures = 0;
        continue;
      }
      failures = round.lasted ? 1 : failures + 1;
      this.#health.restarted();
      if (round.problem) this.#interrupt(run, round.problem, failures);
      await delay(this.#clock, this.#wait(round, failures), signal);
    }
    this.#health.ended();
  }

  /** A revision that is too old is nothing wrong, unless the next one is so too. */
  #interrupt({ pending, onInterruption }: Run<T>, problem: MusterError, failures: number): void {
    this.#health.failed(problem);
    if (problem.code === "KUBE_GONE" && failures === 1) return;
    pending.interrupted();
    this.#health.interrupted(problem, onInterruption);
  }

  #wait({ problem }: Round, failures: number): number {
    const { retryInitial, retryCap, reconnectCap } = this.#timing;
    const cap = problem ? retryCap : reconnectCap;
    const wait = retryWait(failures - 1, retryInitial, cap);
    return Math.max(wait, serverWait(retryAfterOf(problem)));
  }

  async #round(run: Run<T>): Promise<Round> {
    const { known, pending, signal, wake } = run;
    const { api, parse } = this.#options;
    try {
      const resourceVersion = await listObjects({
        api,
        path: this.#path,
        query: this.#query,
        known,
        signal,
        timeout: this.#timing.answer,
        parse,
        onMalformed: () => this.#health.malformed(),
      });
      this.#health.listed(known.size, resourceVersion);
      pending.synced();
      wake();
      return await this.#watch(run, resourceVersion);
    } catch (error) {
      // what the pages before the failure said counts
      wake();
      return { problem: toMusterError(error, "INTERNAL"), lasted: false };
    }
  }

  /** Watches, again and again, until everything has to be listed anew. */
  async #watch(run: Run<T>, from: string): Promise<Round> {
    const { signal } = run;
    const begun = this.#clock.monotonic();
    const { relist, retryInitial, healthy } = this.#timing;
    // never without a pause, whatever was configured
    const until = begun + jittered(Math.max(relist, retryInitial));
    let resourceVersion = from;
    while (!signal.aborted && this.#clock.monotonic() < until) {
      const end = await this.#watchOnce(run, resourceVersion, until - this.#clock.monotonic());
      const lasted = this.#clock.monotonic() - begun >= healthy;
      if (end.problem) return { problem: end.problem, lasted };
      if (end.early) return { lasted };
      resourceVersion = end.resourceVersion;
    }
    return { due: true, lasted: true };
  }

  #watchOnce({ known, signal, wake, onInterruption }: Run<T>, from: string, limit: number) {
    const { api, parse } = this.#options;
    const { watchTimeout, silence, answer } = this.#timing;
    const health = this.#health;
    health.watching();
    return watchObjects({
      api,
      path: this.#path,
      query: this.#query,
      resourceVersion: from,
      known,
      clock: this.#clock,
      signal,
      answer,
      timeout: jittered(watchTimeout),
      silence,
      limit,
      parse,
      onMalformed: () => health.malformed(),
      onOpen: () => health.followed(onInterruption),
      onProgress: (resourceVersion) => {
        health.progressed(known.size, resourceVersion);
        wake();
      },
    });
  }
}

interface Run<T extends KubeObject> {
  readonly known: KnownObjects<T>;
  readonly pending: PendingEvents<T>;
  readonly signal: AbortSignal;
  /** There may be something to read. */
  readonly wake: () => void;
  readonly onInterruption: OnInterruption | undefined;
}
