import type { DiscoveryNotifier, EndpointMetadata, FollowState } from "@muster/core";
import type { KubeApi } from "../api/kube-api.ts";
import type { KubeResource } from "../api/resource.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { createReflector } from "../reflector/reflector.ts";
import { RunningReflectors } from "../reflector/running-reflectors.ts";
import type { ReflectorTiming } from "../reflector/timing.ts";
import { Conditions } from "./conditions.ts";
import type { AddressFamily, KubernetesDiscoverySettings } from "./config.ts";
import { EndpointRoll, type NamedEndpoint } from "./endpoint-roll.ts";
import { followObjects, type OnInvalid } from "./follow-objects.ts";
import { followPool } from "./follow-pool.ts";
import type { PoolSpec } from "./inference-pool.ts";
import { InvalidObjects } from "./invalid-objects.ts";
import type { KubernetesDiscoveryContext } from "./k8s-discovery.ts";
import { familyOf, type Pod } from "./pod.ts";
import { podEndpoints } from "./pod-endpoints.ts";
import { isSelected, selectorText } from "./selector.ts";
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
  readonly context: KubernetesDiscoveryContext;
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
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  endpointsOf(object: T, onInvalid: OnInvalid): readonly NamedEndpoint[];
  onSynced(): void;
}

type Choice<K extends "inferencePool" | "selector" | "service"> = NonNullable<
  KubernetesDiscoverySettings[K]
>;

/** One start of a discovery: follows what its settings name until the signal aborts. */
export class Session {
  readonly #options: SessionOptions;
  readonly #roll: EndpointRoll;
  readonly #conditions: Conditions;
  readonly #invalid: InvalidObjects;
  readonly #running: RunningReflectors;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#roll = new EndpointRoll(options.notifier, preferring(options.settings.addressFamily));
    this.#conditions = new Conditions(options.notifier);
    this.#invalid = new InvalidObjects(options.context);
    this.#running = new RunningReflectors(options.context.clock);
  }

  /** What is followed now. */
  follows(): FollowState[] {
    return this.#running.states();
  }

  async run(): Promise<void> {
    const { inferencePool, selector, service } = this.#options.settings;
    try {
      if (inferencePool !== undefined) await this.#followPool(inferencePool);
      if (selector !== undefined) await this.#followSelector(selector);
      if (service !== undefined) await this.#followService(service);
    } finally {
      this.#invalid.close();
    }
  }

  async #followPool({ name, namespace }: Choice<"inferencePool">): Promise<void> {
    const { api, context, timing, signal } = this.#options;
    const place = { name, namespace: namespace ?? api.namespace };
    let replace = new AbortController();
    let following: Promise<void> = Promise.resolve();
    await followPool({
      ...{ api, ...place, context, timing, signal },
      running: this.#running,
      onPool: (spec) => {
        replace.abort();
        replace = new AbortController();
        const current = AbortSignal.any([signal, replace.signal]);
        following = following.then(() => this.#followPods(place.namespace, spec, current));
      },
      onProblem: (problem) => this.#conditions.set("pool", problem),
    });
    await following;
  }

  async #followSelector(selector: Choice<"selector">): Promise<void> {
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
    const plan = { ports, addressFamily, metrics };
    await this.#follow<Pod>({
      resource: pods,
      namespace,
      matchLabels,
      signal,
      endpointsOf: (pod, onInvalid) => podEndpoints(pod, plan, onInvalid),
      onSynced,
    });
  }

  async #followService({ name, namespace, port }: Choice<"service">): Promise<void> {
    const { api, settings, signal, onReady } = this.#options;
    const plan = { service: name, port, metrics: settings.metrics };
    await this.#follow<EndpointSlice>({
      resource: slices,
      namespace: namespace ?? api.namespace,
      matchLabels: { "kubernetes.io/service-name": name },
      signal,
      endpointsOf: (slice, onInvalid) => sliceEndpoints(slice, plan, onInvalid),
      onSynced: onReady,
    });
  }

  async #follow<T extends KubeObject>(followed: Followed<T>): Promise<void> {
    const { api, timing, context } = this.#options;
    const { resource, namespace, matchLabels, signal, onSynced } = followed;
    const labelSelector = selectorText(matchLabels);
    const reflector = createReflector<T>(
      { api, resource, namespace, labelSelector, timing },
      context,
    );
    const leave = this.#running.add(reflector);
    await followObjects<T>({
      reflector,
      roll: this.#roll,
      invalid: this.#invalid,
      scope: namespace,
      ...{ signal, onSynced },
      endpointsOf: (object, onInvalid) =>
        isSelected(object, { namespace, matchLabels })
          ? followed.endpointsOf(object, onInvalid)
          : [],
      onProblem: (problem) => this.#conditions.set(`${resource.plural} ${namespace}`, problem),
    });
    leave();
  }
}

/** The preferred family first, IPv4 unless another is; of one family neither is better. */
function preferring(family: AddressFamily = "IPv4") {
  return (a: EndpointMetadata, b: EndpointMetadata): boolean =>
    familyOf(a.address) === family && familyOf(b.address) !== family;
}
