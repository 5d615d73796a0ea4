import type { MusterError } from "../errors.ts";
import { throwIfAborted } from "./aborted.ts";
import { type CatchUpStream, createCatchUpStream } from "./catch-up-stream.ts";
import { classifyDiscoveryChange } from "./classify-discovery-change.ts";
import type { DiscoveryStream } from "./discovery.ts";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";
import { changeStep, type DiscoveryStep, removedStep, stepsBetween } from "./discovery-step.ts";
import { matchesQuery } from "./matches-query.ts";

/** Options of {@link createDiscoveryStream}. */
export interface DiscoveryStreamOptions {
  /** Records that do not match are ignored. */
  readonly query: DiscoveryQuery;
  /** Ends the stream at once. */
  readonly signal?: AbortSignal | undefined;
  /** Report `Resync`; default true. */
  readonly resync?: boolean | undefined;
  /** How many events wait for a slow reader; default 16,384. */
  readonly queueLimit?: number | undefined;
  /** Called with PLANE_CONFLICT when a model became another in place: the old one stays. */
  readonly onRejected?: ((problem: MusterError, instance: DiscoveryInstance) => void) | undefined;
  /** Called each time a reader is too slow. */
  readonly onOverflow?: (() => void) | undefined;
  /** Called once when the stream is closed, from either side: the backend can stop watching. */
  readonly onClose?: (() => void) | undefined;
}

/** The backend's side of a `listAndWatch`. Calls after it is closed do nothing. */
export interface DiscoveryFeed {
  readonly stream: DiscoveryStream;
  /** Returned, aborted or ended. */
  readonly closed: boolean;
  /** A record is there, with this value: `Added`, `ModelTaintsUpdated` or nothing. */
  put(instance: DiscoveryInstance): void;
  /** A record is gone: `Removed`, also for one that this stream never added. */
  remove(id: DiscoveryInstanceId): void;
  /**
   * Everything there is; what is not in it is gone. The first gives `Added` for each, a later one
   * `Removed` first, then additions and changes; each ends with one `Resync`.
   */
  replace(all: Iterable<DiscoveryInstance>): void;
  /** Ends the stream after what waits; with an error, which the reader gets then. */
  end(error?: MusterError): void;
}

/**
 * What the watches of all backends are made of: the records a stream knows, the rules of what may
 * change in place, and a bounded queue. When it overflows, what waits is dropped; the reader then
 * gets the difference between what it has read and what there is, and a `Resync`.
 *
 * @throws MusterError PLANE_ABORTED when the signal has aborted, CONFIG_INVALID for a bad limit
 */
export function createDiscoveryStream(options: DiscoveryStreamOptions): DiscoveryFeed {
  throwIfAborted("the watch", options.signal);
  return new Feed(options);
}

class Feed implements DiscoveryFeed {
  readonly #options: DiscoveryStreamOptions;
  readonly #queue: CatchUpStream<DiscoveryStep, DiscoveryEvent>;
  #known = new Map<string, DiscoveryInstance>();
  /** What the reader has, from all the events it has read. */
  readonly #read = new Map<string, DiscoveryInstance>();
  /** Values that were refused: a snapshot with one of them is no reason to take it after all. */
  #refused = new Map<string, DiscoveryInstance>();
  /** Whether a `Resync` waits. There is at most one, or a slow reader could cost any memory. */
  #resyncWaits = false;

  constructor(options: DiscoveryStreamOptions) {
    this.#options = options;
    this.#queue = createCatchUpStream({
      catchUp: () => this.#catchUp(),
      deliver: (step) => this.#deliver(step),
      limit: options.queueLimit,
      signal: options.signal,
      onClose: options.onClose,
      onOverflow: options.onOverflow,
    });
  }

  get stream(): DiscoveryStream {
    return this.#queue.stream;
  }

  get closed(): boolean {
    return this.#queue.closed;
  }

  put(instance: DiscoveryInstance): void {
    if (this.closed || !matchesQuery(this.#options.query, instance)) return;
    const { key } = instance.id();
    const change = classifyDiscoveryChange(this.#known.get(key), instance);
    switch (change.type) {
      case "Unchanged":
        this.#refused.delete(key);
        break;
      case "Added":
      case "ModelTaintsUpdated":
        this.#refused.delete(key);
        this.#known.set(key, instance);
        this.#queue.push(changeStep(key, change));
        break;
      case "Rejected":
        this.#options.onRejected?.(change.problem, instance);
        this.#refused.set(key, instance);
        break;
      case "Ignored":
        this.#refused.set(key, instance);
    }
  }

  remove(id: DiscoveryInstanceId): void {
    if (this.closed || !matchesQuery(this.#options.query, id)) return;
    const { key } = id;
    this.#known.delete(key);
    this.#refused.delete(key);
    this.#queue.push(removedStep(key, id));
  }

  replace(all: Iterable<DiscoveryInstance>): void {
    if (this.closed) return;
    const before = this.#known;
    this.#known = this.#reconcile(all);
    if (this.#resyncWaits) {
      this.#queue.fallBehind();
      return;
    }
    for (const step of stepsBetween(before, this.#known)) this.#queue.push(step);
    if (this.#options.resync !== false) this.#queue.push(this.#resync());
  }

  end(error?: MusterError): void {
    this.#queue.end(error);
  }

  /** What is known after a snapshot. Records that say the same stay the objects they are. */
  #reconcile(all: Iterable<DiscoveryInstance>): Map<string, DiscoveryInstance> {
    const known = new Map<string, DiscoveryInstance>();
    const refused = new Map<string, DiscoveryInstance>();
    for (const instance of all) {
      if (!matchesQuery(this.#options.query, instance)) continue;
      const { key } = instance.id();
      const old = this.#known.get(key);
      const isRefused = this.#refused.get(key)?.equals(instance) === true;
      if (isRefused) refused.set(key, instance);
      known.set(key, old !== undefined && (isRefused || old.equals(instance)) ? old : instance);
    }
    this.#refused = refused;
    return known;
  }

  #catchUp(): DiscoveryStep[] {
    const steps = stepsBetween(this.#read, this.#known);
    if (this.#options.resync !== false) steps.push(this.#resync());
    return steps;
  }

  #resync(): DiscoveryStep {
    this.#resyncWaits = true;
    const instances = Object.freeze([...this.#known.values()]);
    return { event: { type: "Resync", instances }, key: undefined, after: undefined };
  }

  #deliver({ event, key, after }: DiscoveryStep): DiscoveryEvent {
    if (key === undefined) this.#resyncWaits = false;
    else if (after === undefined) this.#read.delete(key);
    else this.#read.set(key, after);
    return event;
  }
}
