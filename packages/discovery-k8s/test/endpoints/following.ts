import {
  createDiscoveryNotifier,
  createPluginContext,
  type EndpointDiscovery,
  type EndpointMetadata,
  endpointId,
  type MusterError,
  type PluginContext,
  typedName,
} from "@muster/core";
import { expect } from "vitest";
import { createKubernetesDiscovery } from "../../src/endpoints/k8s-discovery.ts";
import type { ClusterConfig, KubernetesDiscoveryConfig, ReflectorTiming } from "../../src/index.ts";

/** What is followed, and how. */
export interface FollowingOptions {
  readonly config: Omit<KubernetesDiscoveryConfig, "cluster">;
  readonly cluster: ClusterConfig;
  readonly timing?: Partial<ReflectorTiming> | undefined;
  readonly context?: Partial<PluginContext> | undefined;
  /** Told of every endpoint that comes or changes. */
  readonly onUpsert?: ((metadata: EndpointMetadata) => void) | undefined;
}

const patience = { timeout: 4000, interval: 5 };

/** A discovery that runs, and all that it has said. */
export class Following {
  readonly discovery: EndpointDiscovery;
  readonly found: Map<string, EndpointMetadata> = new Map();
  /** `+ id`, `~ id` and `- id`, as they came. */
  readonly log: string[] = [];
  /** Codes of what it said about its source; "" when it recovered. */
  readonly conditions: string[] = [];
  outage: MusterError | undefined;
  ready = false;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();

  constructor({ config, cluster, timing, context = {}, onUpsert }: FollowingOptions) {
    const whole = { ...createPluginContext(context), typedName: typedName("k8s-discovery") };
    this.discovery = createKubernetesDiscovery({ ...config, cluster }, whole, timing);
    const notifier = createDiscoveryNotifier({
      endpointUpsert: (metadata) => {
        onUpsert?.(metadata);
        this.#upserted(metadata);
      },
      endpointDelete: (id) => {
        this.log.push(`- ${endpointId(id)}`);
        this.found.delete(endpointId(id));
      },
      discoveryDegraded: (reason) => {
        if (this.outage?.code !== reason.code) this.conditions.push(reason.code);
        this.outage = reason;
      },
      discoveryRecovered: () => {
        this.conditions.push("");
        this.outage = undefined;
      },
    });
    const { signal } = this.#stop;
    this.ended = this.discovery.start(notifier, { signal });
    void this.discovery.ready().then(() => {
      this.ready = true;
    });
  }

  /** `id` without namespace to `address:port`. */
  get addresses(): Record<string, string> {
    return Object.fromEntries(
      [...this.found.values()]
        .map(({ namespacedName, address, port }) => [namespacedName.name, `${address}:${port}`])
        .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
    );
  }

  async isReady(): Promise<void> {
    await expect.poll(() => this.ready, patience).toBe(true);
  }

  /** Waits until exactly these endpoints are there, by name and `address:port`. */
  async has(addresses: Record<string, string>): Promise<void> {
    await expect.poll(() => this.addresses, patience).toEqual(addresses);
  }

  /** Waits until it says this about its source; undefined: that it sees it. */
  async says(code: string | undefined): Promise<void> {
    await expect.poll(() => this.outage?.code, patience).toBe(code);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  #upserted(metadata: EndpointMetadata): void {
    const id = endpointId(metadata.namespacedName);
    this.log.push(`${this.found.has(id) ? "~" : "+"} ${id}`);
    this.found.set(id, metadata);
  }
}
