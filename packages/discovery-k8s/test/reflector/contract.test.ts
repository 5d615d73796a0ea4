import process from "node:process";
import { createKubernetesServer, describeReflector } from "@muster/testkit/kubernetes";
import { describe, it } from "vitest";
import {
  type Cluster,
  createKubeApi,
  createReflector,
  directCluster,
  loadCluster,
} from "../../src/index.ts";

/** The cluster that `MUSTER_TEST_KUBECONFIG` names, or else a server of its own. */
async function open(): Promise<{ cluster: Cluster; stop(): Promise<void> }> {
  const kubeconfig = process.env.MUSTER_TEST_KUBECONFIG;
  if (kubeconfig !== undefined)
    return { cluster: await loadCluster({ kubeconfig }), stop: async () => undefined };
  const server = createKubernetesServer();
  await server.start();
  return { cluster: directCluster({ server: server.url }), stop: () => server.stop() };
}

describeReflector(
  { describe, it: (name, body) => it(name, body, 60_000) },
  {
    async open() {
      const { cluster, stop } = await open();
      const api = createKubeApi(cluster);
      const resource = { group: "", version: "v1", plural: "configmaps" };
      return {
        request: (request) => api.request(request),
        follow: ({ signal, ...which }) =>
          createReflector({ api, resource, ...which }).events({ signal }),
        async close() {
          api.close();
          await stop();
        },
      };
    },
  },
);
