import { createKubeApi, directCluster } from "@muster/discovery-k8s";
import { createKubernetesServer } from "@muster/testkit/kubernetes";

/** A Kubernetes API server, and what somebody does in its namespace `default`. */
export interface TestCluster extends AsyncDisposable {
  /** Text of a kubeconfig. */
  readonly kubeconfig: string;
  installPools(): Promise<void>;
  createPool(name: string, ports: readonly number[]): Promise<void>;
  /** A pod of the pool that is ready at 127.0.0.1 and serves at one of the pool's ports. */
  createPod(name: string, port: number): Promise<void>;
  setReady(name: string, ready: boolean): Promise<void>;
  deletePod(name: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const pods = "/api/v1/namespaces/default/pods";
const group = "inference.networking.k8s.io";
const labels = { app: "llama" };

/** Starts the server. */
export async function startCluster(): Promise<TestCluster> {
  const server = createKubernetesServer();
  await server.start();
  const api = createKubeApi(directCluster({ server: server.url }));
  const create = (path: string, body: object): Promise<unknown> =>
    api.request({ method: "POST", path, body });
  const setReady = async (name: string, ready: boolean): Promise<void> => {
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    await api.request({
      method: "PATCH",
      path: `${pods}/${name}/status`,
      body: { status: { phase: "Running", podIP: "127.0.0.1", conditions } },
      contentType: "application/merge-patch+json",
    });
  };
  return {
    kubeconfig: server.kubeconfig(),
    setReady,
    async installPools() {
      await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", poolDefinition);
    },
    async createPool(name, ports) {
      const targetPorts = ports.map((number) => ({ number }));
      await create(`/apis/${group}/v1/namespaces/default/inferencepools`, {
        apiVersion: `${group}/v1`,
        kind: "InferencePool",
        metadata: { name },
        spec: { selector: { matchLabels: labels }, targetPorts },
      });
    },
    async createPod(name, port) {
      const annotations = { "llm-d.ai/active-ports": `${port}` };
      await create(pods, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, labels, annotations },
        spec: { containers: [{ name: "server", image: "vllm/vllm-openai" }] },
      });
      await setReady(name, true);
    },
    async deletePod(name) {
      await api.request({ method: "DELETE", path: `${pods}/${name}` });
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async [Symbol.asyncDispose]() {
      api.close();
      await server.stop();
    },
  };
}

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const poolDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `inferencepools.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "inferencepools", singular: "inferencepool", kind: "InferencePool" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: anything } } },
      },
    ],
  },
};
