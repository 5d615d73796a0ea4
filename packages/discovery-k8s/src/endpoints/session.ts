import type { DiscoveryNotifier, EndpointMetadata, PluginContext } from "@muster/core";
import type { KubeApi } from "../api/kube-api.ts";
import type { KubeResource } from "../api/resource.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { createReflector } from "../reflector/reflector.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import { Conditions } from "./conditions.ts";
import type { AddressFamily, KubernetesDiscoverySettings } from "./config.ts";
import { EndpointRoll } from "./endpoint-roll.ts";
import { followObjects } from "./follow-objects.ts";
import { followPool } from "./follow-pool.ts";
import { type PoolSpec, selectorText } from "./inference-pool.ts";
import { InvalidObjects } from "./invalid-objects.ts";
import { familyOf, type Pod } from "./pod.ts";
import { podEndpoints } from "./pod-endpoints.ts";
import { type EndpointSlice, sliceEndpoints } from "./slice-endpoints.ts";

const pods: KubeResource = { group: "", version: "v1", plural: "pods" };
const slices: KubeResource = {
  group: "discovery.k8s.io",
  version: "v1",
  plural: "endpointslices",
};

/** What one start of a discovery needs. */
export interface SessionOptions {
  readonly api: KubeApi;
  readonly settings: KubernetesDiscoverySettings;
  readonly context: PluginContext;
  readonly timing: Partial<ReflectorTiming> | undefined;
  readonly notifier: DiscoveryNotifier;
  readonly signal: AbortSignal;
  /** The first pass is complete. */
  readonly onReady: () => void;
}

/** One resource of one namespace, followed for its endpoints. */
interface Followed<T extends KubeObject> {
  readonly resource: KubeResource;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly signal: AbortSignal;
  endpointsOf(object: T): readonly EndpointMetadata[];
  onSynced(): void;
}

/** One start of a discovery: follows what its settings name until the signal aborts. */
export class Session {
  readonly #options: SessionOptions;
  readonly #roll: EndpointRoll;
  readonly #conditions: Conditions;
  readonly #invalid: InvalidObjects;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#roll = new EndpointRoll(options.notifier, preferring(options.settings.addressFamily));
    this.#conditions = new Conditions(options.notifier);
    this.#invalid = new InvalidObjects(options.context);
  }

  async run(): Promise<void> {
    const { inferencePool, selector, service } = this.#options.settings;
    if (inferencePool !== undefined) await this.#followPool(inferencePool);
    if (selector !== undefined) await this.#followSelector(selector);
    if (service !== undefined) await this.#followService(service);
  }

  async #followPool(pool: { name: string; namespace?: string | undefined }): Promise<void> {
    const { api, context, timing, signal } = this.#options;
    const namespace = pool.namespace ?? api.namespace;
    let replace = new AbortController();
    let following: Promise<void> = Promise.resolve();
    const onPool = (spec: PoolSpec): void => {
      replace.abort();
      replace = new AbortController();
      const current = AbortSignal.any([signal, replace.signal]);
      following = following.then(() => this.#followPods(namespace, spec, current));
    };
    await followPool({
      api,
      name: pool.name,
      namespace,
      context,
      timing,
      signal,
      onPool,
      onProblem: (problem) =>
        problem === undefined
          ? this.#conditions.clear("pool")
          : this.#conditions.set("pool", problem),
    });
    await following;
  }

  async #followSelector(
    selector: NonNullable<KubernetesDiscoverySettings["selector"]>,
  ): Promise<void> {
    const { api, signal, onReady } = this.#options;
    const waiting = new Set(selector.namespaces ?? [selector.namespace ?? api.namespace]);
    const synced = (namespace: string) => (): void => {
      if (waiting.delete(namespace) && waiting.size === 0) onReady();
    };
    await Promise.all(
      [...waiting].map((namespace) =>
        this.#followPods(namespace, selector, signal, synced(namespace)),
      ),
    );
  }

  async #followPods(
    namespace: string,
    { matchLabels, ports }: PoolSpec,
    signal: AbortSignal,
    onSynced: () => void = this.#options.onReady,
  ): Promise<void> {
    const { addressFamily, metrics } = this.#options.settings;
    await this.#follow<Pod>({
      resource: pods,
      namespace,
      labelSelector: selectorText(matchLabels),
      signal,
      endpointsOf: (pod) => podEndpoints(pod, { ports, addressFamily, metrics }),
      onSynced,
    });
  }

  async #followService(
    service: NonNullable<KubernetesDiscoverySettings["service"]>,
  ): Promise<void> {
    const { api, settings, signal, onReady } = this.#options;
    const { name, namespace = api.namespace, port } = service;
    await this.#follow<EndpointSlice>({
      resource: slices,
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
      signal,
      endpointsOf: (slice) =>
        sliceEndpoints(slice, { service: name, port, metrics: settings.metrics }),
      onSynced: onReady,
    });
  }

  async #follow<T extends KubeObject>(followed: Followed<T>): Promise<void> {
    const { api, timing, context } = this.#options;
    const { resource, namespace, labelSelector, signal } = followed;
    const part = `${resource.plural} ${namespace}`;
    await followObjects<T>({
      reflector: createReflector<T>({ api, resource, namespace, labelSelector, timing }, context),
      roll: this.#roll,
      scope: namespace,
      signal,
      endpointsOf: followed.endpointsOf,
      onSynced: () => {
        this.#conditions.clear(part);
        followed.onSynced();
      },
      onProblem: (problem) => this.#conditions.set(part, problem),
      onInvalid: (key, problem) => this.#invalid.report(key, problem),
    });
  }
}

/** The preferred family first; without one, or both of one family, the first named stays. */
function preferring(family: AddressFamily | undefined) {
  return (a: EndpointMetadata, b: EndpointMetadata): boolean =>
    familyOf(a.address) === (family ?? "IPv4") && familyOf(b.address) !== (family ?? "IPv4");
}
