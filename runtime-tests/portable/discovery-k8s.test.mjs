// Sockets, TLS agents and streams differ between runtimes: the contract is checked on each, over HTTP.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEndpointMetadata } from "@muster/core";
import kubernetesDiscovery, { createKubeApi, loadCluster } from "@muster/discovery-k8s";
import { describeDiscovery } from "@muster/testkit";
import { createKubernetesServer } from "@muster/testkit/kubernetes";

const labels = { app: "vllm" };
const path = "/api/v1/namespaces/default/pods";
const spec = { containers: [{ name: "server", image: "vllm/vllm-openai" }] };

const pod = (podName, address) =>
  createEndpointMetadata({ name: `${podName}-rank-0`, podName, address, port: 8000, labels });

function pods(api) {
  const present = new Set();
  const place = async (name, podIP) => {
    const metadata = { name, labels };
    if (!present.has(name)) await api.request({ method: "POST", path, body: { metadata, spec } });
    present.add(name);
    await api.request({
      method: "PATCH",
      path: `${path}/${name}/status`,
      body: {
        status: { phase: "Running", podIP, conditions: [{ type: "Ready", status: "True" }] },
      },
      contentType: "application/merge-patch+json",
    });
  };
  return async (endpoints) => {
    const wanted = new Set(endpoints.map(({ podName }) => podName));
    for (const name of present)
      if (!wanted.has(name)) {
        await api.request({ method: "DELETE", path: `${path}/${name}` });
        present.delete(name);
      }
    for (const { podName, address } of endpoints) await place(podName, address);
  };
}

export default (api) => {
  describeDiscovery(api, {
    async make() {
      const folder = mkdtempSync(join(tmpdir(), "muster-k8s-"));
      const kubeconfig = join(folder, "kubeconfig");
      const server = createKubernetesServer({ token: "secret" });
      await server.start();
      writeFileSync(kubeconfig, server.kubeconfig());
      const cluster = createKubeApi(await loadCluster({ kubeconfig }));
      return {
        discovery: kubernetesDiscovery.create({
          selector: { matchLabels: labels, ports: [8000] },
          cluster: { kubeconfig },
        }),
        set: pods(cluster),
        destroy: () => rmSync(kubeconfig),
        interrupt: () => server.stop(),
        restore: () => server.start(),
        async close() {
          cluster.close();
          await server.stop();
          rmSync(folder, { recursive: true });
        },
      };
    },
    endpoints: [pod("a", "10.0.0.1"), pod("b", "2001:db8::1"), pod("c", "10.0.0.3")],
    changed: pod("a", "10.0.0.9"),
    patience: 10_000,
  });
};
