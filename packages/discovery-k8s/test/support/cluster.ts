import type { EndpointMetadata } from "@muster/core";
import type { KubeApi } from "../../src/index.ts";

const path = "/api/v1/namespaces/default/pods";

/** What a pod is to be; everything else is as of one that serves. */
export interface PodInit {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly addresses?: readonly string[];
  readonly phase?: string;
  readonly ready?: boolean;
}

/** Makes objects in a cluster through its API, as a user without a kubelet would. */
export class Pods {
  readonly #api: KubeApi;

  constructor(api: KubeApi) {
    this.#api = api;
  }

  async create(name: string, init: PodInit = {}): Promise<void> {
    const { labels = { app: "vllm" }, annotations = {} } = init;
    await this.#api.request({
      method: "POST",
      path,
      body: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, labels, annotations },
        spec: { containers: [{ name: "server", image: "vllm/vllm-openai" }] },
      },
    });
    await this.status(name, init);
  }

  async status(name: string, init: PodInit = {}): Promise<void> {
    const { addresses = ["10.0.0.1"], phase = "Running", ready = true } = init;
    const status = {
      phase,
      podIP: addresses[0],
      podIPs: addresses.map((ip) => ({ ip })),
      hostIP: "192.168.0.1",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    };
    await this.#patch(`${path}/${name}/status`, { status });
  }

  async annotate(
    name: string,
    annotations: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    await this.#patch(`${path}/${name}`, { metadata: { annotations } });
  }

  async delete(name: string): Promise<void> {
    await this.#api.request({ method: "DELETE", path: `${path}/${name}` });
  }

  async names(): Promise<string[]> {
    const list = await this.#api.request<{ items: { metadata: { name: string } }[] }>({ path });
    return list.items.map(({ metadata }) => metadata.name);
  }

  /** Makes exactly the pods that these endpoints belong to exist. */
  async set(endpoints: readonly EndpointMetadata[]): Promise<void> {
    const present = new Set(await this.names());
    const wanted = new Set(endpoints.map(({ podName }) => podName));
    for (const name of present) if (!wanted.has(name)) await this.delete(name);
    for (const { podName, address, labels } of endpoints) {
      const init = { labels, addresses: [address] };
      await (present.has(podName) ? this.status(podName, init) : this.create(podName, init));
    }
  }

  async #patch(target: string, body: object): Promise<void> {
    await this.#api.request({
      method: "PATCH",
      path: target,
      body,
      contentType: "application/merge-patch+json",
    });
  }
}
