import type { KubeApi } from "@muster/discovery-k8s";

const path = "/api/v1/namespaces/default/pods";

/** Makes pods through the API, and says what a kubelet would say of them. */
export class Pods {
  readonly #api: KubeApi;

  constructor(api: KubeApi) {
    this.#api = api;
  }

  async create(
    name: string,
    annotations: Readonly<Record<string, string>> = {},
    ready = true,
  ): Promise<void> {
    const metadata = { name, labels: { app: "vllm" }, annotations };
    const spec = { containers: [{ name: "server", image: "vllm/vllm-openai" }] };
    const body = { apiVersion: "v1", kind: "Pod", metadata, spec };
    await this.#api.request({ method: "POST", path, body });
    await this.setReady(name, ready);
  }

  async setReady(name: string, ready: boolean): Promise<void> {
    // nothing listens there: what is polled does not matter here
    const podIP = "127.0.0.1";
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions };
    await this.#patch(`${path}/${name}/status`, { status });
  }

  /** Null removes an annotation. */
  async annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
    await this.#patch(`${path}/${name}`, { metadata: { annotations } });
  }

  async delete(name: string): Promise<void> {
    await this.#api.request({ method: "DELETE", path: `${path}/${name}` });
  }

  async #patch(target: string, body: object): Promise<void> {
    const contentType = "application/merge-patch+json";
    await this.#api.request({ method: "PATCH", path: target, body, contentType });
  }
}
