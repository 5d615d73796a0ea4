import { createPluginContext, MusterError, type PluginContext, toMusterError } from "@muster/core";
import {
  checkQuery,
  checkSpec,
  createDiscoveryStream,
  type Discovery,
  type DiscoveryFeed,
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type DiscoveryQuery,
  type DiscoverySpec,
  type DiscoveryStream,
  type DiscoveryWatchOptions,
  hashPodName,
  type ModelCardInstanceId,
  matchesQuery,
  onAbort,
  throwIfAborted,
  type WaitOptions,
  withInstanceId,
} from "@muster/core/plane";
import { resourcePath } from "../api/resource.ts";
import type { ClusterViewOptions } from "./cluster-view.ts";
import { putRecord, taintRecord, takeRecord } from "./edit-metadata.ts";
import { recordName } from "./identity.ts";
import type { KubeDiscoveryOptions } from "./options.ts";
import { OwnRecord } from "./own-record.ts";
import { PlaneAccess } from "./plane-access.ts";
import { readCluster } from "./read-cluster.ts";
import { registerModel } from "./register-model.ts";
import { SharedView } from "./shared-view.ts";
import { SkippedEntries } from "./skipped-entries.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { workerMetadata } from "./worker-metadata.ts";

/** ms until the first lists must be complete. */
const defaultSyncTimeout = 30_000;

/**
 * The discovery plane of NVIDIA Dynamo on Kubernetes: what a worker registers is in a custom resource of
 * its own, `DynamoWorkerMetadata`, and is published while the worker's pod, or container, is ready.
 * Contacts nothing before its first use. Otherwise than over a store, an endpoint or channel that is
 * registered again replaces the first, only own records can be taken away, and what fails has a code
 * KUBE_…. Closing leaves the worker's object, empty: it goes with its pod.
 *
 * @throws MusterError KUBE_CONFIG for an identity that cannot be one
 */
export function createKubeDiscovery(
  options: KubeDiscoveryOptions = {},
  context: Partial<PluginContext> = {},
): Discovery {
  return new KubeDiscovery(options, createPluginContext(context));
}

class KubeDiscovery implements Discovery {
  readonly instanceId: bigint;
  readonly #options: KubeDiscoveryOptions;
  readonly #context: PluginContext;
  readonly #access: PlaneAccess;
  readonly #own: OwnRecord | undefined;
  readonly #skipped: SkippedEntries;
  readonly #view: SharedView;
  readonly #feeds = new Set<DiscoveryFeed>();
  readonly #onOverflow: () => void;
  readonly #unlink: (() => void) | undefined;
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(options: KubeDiscoveryOptions, context: PluginContext) {
    this.#options = options;
    this.#context = context;
    this.#access = new PlaneAccess(options, context);
    const { identity } = this.#access;
    this.instanceId = identity === undefined ? 0n : hashPodName(recordName(identity));
    this.#own = identity && new OwnRecord(identity, () => this.#access.api());
    this.#skipped = new SkippedEntries(context);
    this.#view = new SharedView(() => this.#viewOptions());
    const overflows = context.metrics.counter({
      name: "muster_plane_watch_overflows_total",
      help: "Watches whose reader was too slow and was brought up to date",
    });
    this.#onOverflow = () => overflows.add(1);
    this.#unlink = onAbort(context.signal, () => void this.close());
  }

  async register(spec: DiscoverySpec, options: WaitOptions = {}): Promise<DiscoveryInstance> {
    const own = this.#useOwn("register", options);
    checkSpec(spec);
    const { signal } = options;
    const instance = withInstanceId(spec, this.instanceId);
    if (instance.type !== "Model")
      return await own.change({
        what: "register",
        signal,
        edit: (metadata) => putRecord(metadata, instance),
      });
    const { logger } = this.#context;
    const published = (wait: WaitOptions): Promise<DiscoveryInstance[]> =>
      this.#read("register", wait);
    return await registerModel(instance, { own, logger, published }, options);
  }

  async unregister(
    instance: DiscoveryInstance | DiscoveryInstanceId,
    options: WaitOptions = {},
  ): Promise<void> {
    const own = this.#useOwn("unregister", options);
    const id = "toPath" in instance ? instance : instance.id();
    await own.changeIfNeeded({
      what: "unregister",
      signal: options.signal,
      edit: (metadata) => takeRecord(metadata, id),
    });
  }

  async list(
    query: DiscoveryQuery,
    options: WaitOptions = {},
  ): Promise<readonly DiscoveryInstance[]> {
    this.#use("list", options);
    checkQuery(query);
    const view = this.#view.current;
    if (view?.isSynced === true) return view.list(query);
    const all = await this.#read("list", options);
    return all.filter((instance) => matchesQuery(query, instance));
  }

  async listAndWatch(
    query: DiscoveryQuery,
    options: DiscoveryWatchOptions = {},
  ): Promise<DiscoveryStream> {
    this.#use("listAndWatch", options);
    checkQuery(query);
    const { signal, onInterruption } = options;
    const { syncTimeout: timeout = defaultSyncTimeout } = this.#options;
    const { view, release } = await this.#view.acquire();
    const forget = view.onInterruption(onInterruption);
    try {
      // both may have happened meanwhile
      this.#use("listAndWatch", options);
      await view.synced({ signal, timeout });
      this.#use("listAndWatch", options);
      return this.#stream(query, options, (feed) => {
        const leave = view.feed(feed);
        return () => {
          leave();
          forget();
          release();
        };
      });
    } catch (error) {
      forget();
      release();
      throw error;
    }
  }

  async updateModelTaints(
    id: ModelCardInstanceId,
    taints: Iterable<string>,
    options: WaitOptions = {},
  ): Promise<DiscoveryInstance> {
    const own = this.#useOwn("updateModelTaints", options);
    const all = [...taints];
    if (id.instanceId !== this.instanceId)
      throw new MusterError(
        "PLANE_TAINT",
        `${id.toPath()} is another worker's model: only it sets its taints`,
      );
    return await own.change({
      what: "updateModelTaints",
      signal: options.signal,
      edit: (metadata) => taintRecord(metadata, id, all),
    });
  }

  async check(options: WaitOptions = {}): Promise<void> {
    this.#use("check", options);
    const { signal } = options;
    await unlessAborted("check", signal, async () => {
      const { api, namespace } = await this.#viewOptions();
      const path = resourcePath(workerMetadata, { namespace });
      await api.request({ path, query: { limit: 1 }, signal });
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#unlink?.();
    this.#ending.abort(closedError("the call"));
    for (const feed of [...this.#feeds]) feed.end();
    try {
      await this.#own?.clear();
    } catch (error) {
      // the object goes with its pod in any case
      const problem = toMusterError(error, "INTERNAL").toJSON();
      this.#context.logger.warn({ error: problem }, "what was registered could not be taken away");
    }
    await this.#view.stop();
    await this.#access.close();
  }

  #stream(
    query: DiscoveryQuery,
    { signal, resync, queueLimit }: DiscoveryWatchOptions,
    join: (feed: DiscoveryFeed) => () => void,
  ): DiscoveryStream {
    let leave = (): void => undefined;
    const feed = createDiscoveryStream({
      query,
      signal,
      resync: resync ?? this.#options.resync,
      queueLimit: queueLimit ?? this.#options.queueLimit,
      onRejected: (problem, record) => this.#skipped.reject(record.id(), problem),
      onOverflow: this.#onOverflow,
      onClose: () => {
        this.#feeds.delete(feed);
        leave();
      },
    });
    this.#feeds.add(feed);
    leave = join(feed);
    return feed.stream;
  }

  /** What is published, read anew. */
  async #read(what: string, { signal }: WaitOptions): Promise<DiscoveryInstance[]> {
    // not by `AbortSignal.any`: on Node 20 a signal that lives long keeps something of each one made of it
    const either = new AbortController();
    const ending = this.#ending.signal;
    const forgets = [signal, ending].map((one) => onAbort(one, () => either.abort(one?.reason)));
    try {
      return await unlessAborted(what, signal, async () =>
        readCluster(await this.#viewOptions(), either.signal),
      );
    } finally {
      for (const forget of forgets) forget();
    }
  }

  async #viewOptions(): Promise<ClusterViewOptions> {
    const api = await this.#access.api();
    return {
      api,
      namespace: this.#access.namespace(api),
      mode: this.#access.mode,
      timing: this.#options.timing,
      context: this.#context,
      skipped: this.#skipped,
    };
  }

  #useOwn(what: string, options: WaitOptions): OwnRecord {
    this.#use(what, options);
    if (this.#own !== undefined) return this.#own;
    throw new MusterError("KUBE_CONFIG", `${what}: only a pod can; give its \`identity\``, {
      path: "identity",
    });
  }

  #use(what: string, { signal }: WaitOptions): void {
    if (this.#closing !== undefined) throw closedError(what);
    throwIfAborted(what, signal);
  }
}

function closedError(what: string): MusterError {
  return new MusterError("PLANE_CLOSED", `${what}: the discovery plane was closed`);
}
