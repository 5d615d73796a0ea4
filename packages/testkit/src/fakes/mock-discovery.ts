import { formatPlain, MusterError } from "@muster/core";
import {
  checkQuery,
  checkSpec,
  classifyDiscoveryChange,
  createDiscoveryStream,
  type Discovery,
  type DiscoveryFeed,
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type DiscoveryQuery,
  type DiscoverySpec,
  type DiscoveryStream,
  type DiscoveryWatchOptions,
  findModelConflict,
  type ModelCardInstanceId,
  matchesQuery,
  throwIfAborted,
  type WaitOptions,
  withInstanceId,
  withTaints,
} from "@muster/core/plane";
import type { SharedMockRegistry } from "./mock-registry.ts";

/** Options of {@link createMockDiscovery}. */
export interface MockDiscoveryOptions {
  /** Workers on one registry see each other. */
  readonly registry: SharedMockRegistry;
  /** Default: the registry's next one, from 1 up. */
  readonly instanceId?: bigint | undefined;
}

/**
 * A worker on a discovery plane in memory, for tests: every call takes effect at once, watches are
 * told of each change. Registering an endpoint or event channel again replaces it, as on Kubernetes;
 * over a key-value store the first value stays.
 */
export function createMockDiscovery(options: MockDiscoveryOptions): Discovery {
  return new MockDiscovery(options);
}

class MockDiscovery implements Discovery {
  readonly instanceId: bigint;
  readonly #registry: SharedMockRegistry;
  readonly #own = new Map<string, DiscoveryInstance>();
  readonly #feeds = new Set<DiscoveryFeed>();
  #closed = false;

  constructor({ registry, instanceId }: MockDiscoveryOptions) {
    this.#registry = registry;
    this.instanceId = instanceId ?? registry.nextInstanceId();
  }

  async register(spec: DiscoverySpec, options?: WaitOptions): Promise<DiscoveryInstance> {
    this.#enter("register", options);
    checkSpec(spec);
    const instance = withInstanceId(spec, this.instanceId);
    const present = this.#registry.instances.get(instance.id().key);
    if (instance.type === "Model") {
      const conflict = findModelConflict(instance, this.#registry.instances.values());
      if (conflict) throw conflict;
    }
    if (present?.type === "Model" || present?.type === "EventSource")
      return kept(present, instance);
    this.#put(instance);
    return instance;
  }

  async unregister(
    instance: DiscoveryInstance | DiscoveryInstanceId,
    options?: WaitOptions,
  ): Promise<void> {
    this.#enter("unregister", options);
    this.#registry.remove("id" in instance ? instance.id() : instance);
  }

  async list(query: DiscoveryQuery, options?: WaitOptions): Promise<readonly DiscoveryInstance[]> {
    this.#enter("list", options);
    checkQuery(query);
    const all = [...this.#registry.instances.values()];
    return all.filter((instance) => matchesQuery(query, instance));
  }

  async listAndWatch(
    query: DiscoveryQuery,
    options: DiscoveryWatchOptions = {},
  ): Promise<DiscoveryStream> {
    this.#enter("listAndWatch", options);
    checkQuery(query);
    const { queueLimit, resync, signal } = options;
    let unfollow = (): void => undefined;
    const onClose = (): void => {
      this.#feeds.delete(feed);
      unfollow();
    };
    const feed = createDiscoveryStream({ query, queueLimit, resync, signal, onClose });
    this.#feeds.add(feed);
    unfollow = this.#registry.follow(feed);
    return feed.stream;
  }

  async updateModelTaints(
    id: ModelCardInstanceId,
    taints: Iterable<string>,
    options?: WaitOptions,
  ): Promise<DiscoveryInstance> {
    this.#enter("updateModelTaints", options);
    if (id.instanceId !== this.instanceId || id.modelSuffix !== undefined)
      throw new MusterError("PLANE_TAINT", `${id.toPath()} is not a base model of this worker`);
    const present = this.#registry.instances.get(id.key);
    if (present?.type !== "Model")
      throw new MusterError("NOT_FOUND", `model ${id.toPath()} is not registered`);
    const tainted = withTaints(present, taints);
    this.#put(tainted);
    return tainted;
  }

  async check(options?: WaitOptions): Promise<void> {
    this.#enter("check", options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const feed of [...this.#feeds]) feed.end();
    const { instances } = this.#registry;
    // what somebody else has registered since under the same id is not ours
    for (const [key, own] of this.#own)
      if (instances.get(key) === own) this.#registry.remove(own.id());
    this.#own.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #enter(what: string, { signal }: WaitOptions = {}): void {
    if (this.#closed) throw new MusterError("PLANE_CLOSED", `${what}: the mock plane was closed`);
    throwIfAborted(what, signal);
  }

  #put(instance: DiscoveryInstance): void {
    this.#own.set(instance.id().key, instance);
    this.#registry.put(instance);
  }
}

/** What registering again gives where the first value stays. */
function kept(present: DiscoveryInstance, instance: DiscoveryInstance): DiscoveryInstance {
  const { type } = classifyDiscoveryChange(present, instance);
  if (type === "Unchanged" || type === "ModelTaintsUpdated") return present;
  const what = `${instance.type} ${formatPlain(instance.id().toPath())}`;
  throw new MusterError(
    "PLANE_CONFLICT",
    `${what} is registered with another value; unregister it`,
  );
}
