import { type Objects, type PodInit, resources } from "../objects.ts";
import {
  type Endpoints,
  endpointsOfPod,
  endpointsOfSlice,
  type PodState,
  type SliceState,
  type Wanted,
} from "./truth.ts";

/** In which versions there is a pool, and what it asks for there. */
export type Pools = { readonly [version in "pools" | "alphaPools"]?: Wanted };

/** Pairs of endpoint and address that may have been seen. */
class Allowed {
  readonly #pairs = new Set<string>();

  add(endpoints: Endpoints): void {
    for (const [id, where] of endpoints) this.#pairs.add(`${id} ${where}`);
  }

  has(pair: string): boolean {
    return this.#pairs.has(pair);
  }
}

/** What the test wrote, now and ever; writes through the API. */
export class Model {
  readonly selected: Wanted;
  readonly pods: Map<string, PodState> = new Map();
  readonly slices: Map<string, SliceState> = new Map();
  readonly allowed: Readonly<Record<"pool" | "selector" | "service", Allowed>> = {
    pool: new Allowed(),
    selector: new Allowed(),
    service: new Allowed(),
  };
  pools: Pools = {};
  readonly #versions: PodState[] = [];
  readonly #wanted: Wanted[] = [];
  readonly #namespaces: ReadonlyMap<string, Objects>;

  constructor(namespaces: readonly Objects[], selected: Wanted) {
    this.#namespaces = new Map(namespaces.map((objects) => [objects.namespace, objects]));
    this.selected = selected;
  }

  async createPod(key: string, pod: PodState): Promise<void> {
    this.#wrote(key, pod);
    const finalizers = ["muster.dev/test"];
    await this.#in(pod).pod(pod.name, { ...initOf(pod), finalizers });
  }

  /** Status, labels and annotations, in two requests as there are two writers. */
  async changePod(key: string, before: PodState, pod: PodState): Promise<void> {
    const between = { ...before, app: pod.app, active: pod.active };
    this.#wrote(key, between);
    this.#wrote(key, pod);
    const { labels, annotations } = initOf(pod);
    const metadata = { labels, annotations: annotations ?? null };
    await this.#in(pod).patch(resources.pods, pod.name, { metadata });
    await this.#in(pod).status(pod.name, initOf(pod));
  }

  /** Marked for deletion; there until it is let go. */
  async deletePod(key: string, pod: PodState): Promise<void> {
    this.#wrote(key, { ...pod, deleting: true });
    await this.#in(pod).remove(resources.pods, pod.name);
  }

  async letPodGo(key: string, pod: PodState): Promise<void> {
    this.pods.delete(key);
    await this.#in(pod).patch(resources.pods, pod.name, { metadata: { finalizers: null } });
  }

  async writeSlice(slice: SliceState): Promise<void> {
    this.allowed.service.add(endpointsOfSlice(slice));
    const { name, family, port, entries } = slice;
    const init = {
      addressType: family,
      ports: [{ name: "http", port, protocol: "TCP" }],
      endpoints: entries.map(({ pod, uid, address, conditions }) => ({
        addresses: [address],
        conditions,
        targetRef: { kind: "Pod", name: pod, uid },
      })),
    };
    const known = this.slices.has(name);
    this.slices.set(name, slice);
    if (known) await this.#in(slice).reslice(name, init);
    else await this.#in(slice).slice(name, init);
  }

  async removeSlice(slice: SliceState): Promise<void> {
    this.slices.delete(slice.name);
    await this.#in(slice).remove(resources.slices, slice.name);
  }

  async writePool(objects: Objects, version: keyof Pools, wanted: Wanted): Promise<void> {
    const { app, ports } = wanted;
    this.#wanted.push(wanted);
    for (const pod of this.#versions) this.allowed.pool.add(endpointsOfPod(pod, wanted));
    const known = this.pools[version] !== undefined;
    this.pools = { ...this.pools, [version]: wanted };
    if (version === "pools") {
      const targetPorts = ports.map((number) => ({ number }));
      const spec = { selector: { matchLabels: { app } }, targetPorts };
      if (known) await objects.patch(resources.pools, "llama", { spec });
      else await objects.pool("llama", { app }, ports);
    } else {
      const spec = { selector: { app }, targetPortNumber: ports[0] };
      if (known) await objects.patch(resources.alphaPools, "llama", { spec });
      else await objects.alphaPool("llama", { app }, ports[0] ?? 0);
    }
  }

  async removePool(objects: Objects, version: keyof Pools): Promise<void> {
    this.forgetPool(version);
    await objects.remove(resources[version], "llama");
  }

  forgetPool(version: keyof Pools): void {
    const { [version]: _gone, ...left } = this.pools;
    this.pools = left;
  }

  /** Said before it is written: a watch may be faster than the answer. */
  #wrote(key: string, pod: PodState): void {
    this.pods.set(key, pod);
    this.#versions.push(pod);
    this.allowed.selector.add(endpointsOfPod(pod, this.selected));
    for (const wanted of this.#wanted) this.allowed.pool.add(endpointsOfPod(pod, wanted));
  }

  #in({ namespace }: { readonly namespace: string }): Objects {
    const objects = this.#namespaces.get(namespace);
    if (objects === undefined) throw new Error(`no namespace ${namespace}`);
    return objects;
  }
}

function initOf({ app, active, addresses, phase, ready }: PodState): PodInit {
  return {
    labels: { app },
    ...(active !== undefined && { annotations: { "llm-d.ai/active-ports": active } }),
    ...{ addresses, phase, ready },
  };
}
