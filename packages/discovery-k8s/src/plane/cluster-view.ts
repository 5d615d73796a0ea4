import { MusterError, messageOf, type PluginContext, toMusterError } from "@muster/core";
import type { DiscoveryFeed, DiscoveryInstance, DiscoveryQuery } from "@muster/core/plane";
import { matchesQuery, onAbort } from "@muster/core/plane";
import type { KubeApi } from "../api/kube-api.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { createReflector, type Reflector } from "../reflector/reflector.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import type { ReadinessMode } from "./identity.ts";
import { MetadataTable } from "./metadata-table.ts";
import { parseExact } from "./parse-exact.ts";
import { type PublishedChange, PublishedRecords } from "./published-records.ts";
import { readinessSources } from "./ready-entries.ts";
import type { SkippedEntries } from "./skipped-entries.ts";
import { discoverySelector, workerMetadata } from "./worker-metadata.ts";

/** What of a cluster is looked at, and how. */
export interface ClusterViewOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly mode: ReadinessMode;
  readonly timing: Partial<ReflectorTiming> | undefined;
  readonly context: PluginContext;
  readonly skipped: SkippedEntries;
}

/** Called with why the cluster cannot be followed, and with undefined when it is followed again. */
export type OnInterruption = (problem: MusterError | undefined) => void;

/** What is waited for before a view is complete. */
export interface SyncWait {
  readonly signal: AbortSignal | undefined;
  /** ms */
  readonly timeout: number;
}

type Side = "workers" | "readiness";

/** The records that are published in one namespace, followed for any number of feeds until stopped. */
export class ClusterView {
  readonly #options: ClusterViewOptions;
  readonly #records: PublishedRecords;
  readonly #feeds = new Set<DiscoveryFeed>();
  readonly #listeners = new Set<OnInterruption>();
  readonly #problems = new Map<Side, MusterError>();
  /** Sides that were interrupted and have not been listed again. */
  readonly #stale = new Set<Side>();
  /** Something may have been missed. */
  #isDoubtful = false;
  /** Sides whose first list is not complete. */
  readonly #waiting = new Set<Side>(["workers", "readiness"]);
  readonly #ending = new AbortController();
  readonly #followed: Promise<unknown>;
  #wake: () => void = () => undefined;
  readonly #synced = new Promise<void>((resolve) => {
    this.#wake = resolve;
  });

  constructor(options: ClusterViewOptions) {
    this.#options = options;
    const { api, namespace, mode, timing, context, skipped } = options;
    const source = readinessSources[mode];
    this.#records = new PublishedRecords(new MetadataTable(skipped), source);
    const common = { api, namespace, timing };
    const workers = createReflector(
      { ...common, resource: workerMetadata, parse: parseExact },
      context,
    );
    const readiness = createReflector(
      { ...common, resource: source.resource, labelSelector: discoverySelector },
      context,
    );
    this.#followed = Promise.all([
      this.#follow("workers", workers, (object, there) => this.#records.setWorker(object, there)),
      this.#follow("readiness", readiness, (object, there) =>
        this.#records.setReadiness(object, there),
      ),
    ]);
  }

  /** Whether both first lists are complete. */
  get isSynced(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Resolves when both first lists are complete.
   *
   * @throws MusterError when time is up: why it cannot be followed, else KUBE_TIMEOUT
   */
  async synced({ signal, timeout }: SyncWait): Promise<void> {
    if (this.isSynced) return;
    const { clock } = this.#options.context;
    let over: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    const cancels = [
      clock.schedule(over, timeout),
      onAbort(signal, over),
      onAbort(this.#ending.signal, over),
    ];
    await Promise.race([this.#synced, ended]);
    for (const cancel of cancels) cancel();
    if (this.isSynced || signal?.aborted === true || this.#ending.signal.aborted) return;
    const [problem] = this.#problems.values();
    throw (
      problem ??
      new MusterError("KUBE_TIMEOUT", `the discovery plane was not listed within ${timeout} ms`)
    );
  }

  /** What is published and matches. */
  list(query: DiscoveryQuery): DiscoveryInstance[] {
    return this.#records.all().filter((instance) => matchesQuery(query, instance));
  }

  /** Gives a feed what is published and every change from now on, until the returned is called. */
  feed(feed: DiscoveryFeed): () => void {
    feed.replace(this.#records.all());
    this.#feeds.add(feed);
    return () => this.#feeds.delete(feed);
  }

  /** Tells of interruptions, of a present one at once, until the returned is called. */
  onInterruption(listener: OnInterruption | undefined): () => void {
    if (listener === undefined) return () => undefined;
    const own: OnInterruption = (problem) => listener(problem);
    this.#listeners.add(own);
    const [problem] = this.#problems.values();
    if (problem !== undefined) this.#tell(own, problem);
    return () => this.#listeners.delete(own);
  }

  /** Ends everything; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#followed;
  }

  async #follow(
    side: Side,
    reflector: Reflector,
    apply: (object: KubeObject, isThere: boolean) => PublishedChange,
  ): Promise<void> {
    const { signal } = this.#ending;
    const onInterruption: OnInterruption = (problem) => this.#interrupted(side, problem);
    let restarts = 0;
    try {
      for await (const event of reflector.events({ signal, onInterruption })) {
        if (event.type !== "Synced") {
          this.#publish(apply(event.object, event.type !== "Deleted"));
          continue;
        }
        this.#listed(side, reflector.state.restarts !== restarts);
        restarts = reflector.state.restarts;
      }
    } catch (error) {
      for (const feed of [...this.#feeds]) feed.end(toMusterError(error, "INTERNAL"));
    }
  }

  /** A list is complete; `isDoubtful` if it had to be made because something failed. */
  #listed(side: Side, isDoubtful: boolean): void {
    this.#stale.delete(side);
    if (this.#waiting.delete(side)) {
      if (this.isSynced) this.#wake();
      return;
    }
    this.#isDoubtful ||= isDoubtful;
    // while the other side is away not everything is known
    if (!this.#isDoubtful || this.#stale.size > 0) return;
    this.#isDoubtful = false;
    for (const feed of [...this.#feeds]) feed.replace(this.#records.all());
  }

  /** Nothing is published before everything is known. */
  #publish({ removed, put }: PublishedChange): void {
    if (!this.isSynced) return;
    for (const feed of [...this.#feeds]) {
      for (const id of removed) feed.remove(id);
      for (const instance of put) feed.put(instance);
    }
  }

  #interrupted(side: Side, problem: MusterError | undefined): void {
    if (this.#ending.signal.aborted) return;
    const was = this.#problems.size > 0;
    if (problem === undefined) this.#problems.delete(side);
    else {
      this.#problems.set(side, problem);
      this.#stale.add(side);
    }
    const is = this.#problems.size > 0;
    if (was !== is) for (const listener of [...this.#listeners]) this.#tell(listener, problem);
  }

  /** What a reader's callback throws is nothing that others must suffer from. */
  #tell(listener: OnInterruption, problem: MusterError | undefined): void {
    try {
      listener(problem);
    } catch (error) {
      this.#options.context.logger.error(
        { error: messageOf(error) },
        "a reader failed when told of an interruption",
      );
    }
  }
}
