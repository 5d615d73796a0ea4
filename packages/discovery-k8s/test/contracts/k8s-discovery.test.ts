import { createEndpointMetadata, type EndpointMetadata } from "@muster/core";
import { describeDefinition, describeDiscovery } from "@muster/testkit";
import { createKubernetesServer } from "@muster/testkit/kubernetes";
import { describe, it } from "vitest";
import kubernetesDiscovery, { createKubeApi, directCluster } from "../../src/index.ts";
import { Pods } from "../support/cluster.ts";

const pod = (name: string, address: string): EndpointMetadata =>
  createEndpointMetadata({
    name: `${name}-rank-0`,
    podName: name,
    address,
    port: 8000,
    nodeAddress: "192.168.0.1",
    labels: { app: "vllm" },
  });

describeDiscovery(
  { describe, it },
  {
    async make() {
      const server = createKubernetesServer();
      await server.start();
      const api = createKubeApi(directCluster({ server: server.url }));
      return {
        discovery: kubernetesDiscovery.create({
          selector: { matchLabels: { app: "vllm" }, ports: [8000] },
          cluster: { server: server.url },
        }),
        set: (endpoints) => new Pods(api).set(endpoints),
        async close() {
          api.close();
          await server.stop();
        },
      };
    },
    endpoints: [pod("a", "10.0.0.1"), pod("b", "2001:db8::1"), pod("c", "10.0.0.3")],
    changed: pod("a", "10.0.0.9"),
  },
);

describeDefinition(
  { describe, it },
  {
    definition: kubernetesDiscovery,
    valid: [
      { inferencePool: { name: "pool" } },
      { selector: { matchLabels: { app: "vllm" }, ports: [8000, 8001], namespaces: ["a", "b"] } },
      { service: { name: "vllm", namespace: "serving", port: "http" }, addressFamily: "IPv6" },
      {
        inferencePool: { name: "pool" },
        cluster: { server: "https://10.0.0.1:6443", tokenFile: "/token", caPath: "/ca.pem" },
      },
    ],
    invalid: [
      { config: {}, path: "" },
      { config: { inferencePool: { name: "pool" }, service: { name: "s" } }, path: "" },
      { config: { inferencePool: { name: "Not A Name" } }, path: "inferencePool.name" },
      {
        config: { selector: { matchLabels: {}, ports: [8000] } },
        path: "selector.matchLabels",
      },
      {
        config: { selector: { matchLabels: { app: "a,b=c" }, ports: [8000] } },
        path: "selector.matchLabels.app",
      },
      { config: { selector: { matchLabels: { app: "a" }, ports: [] } }, path: "selector.ports" },
      {
        config: { selector: { matchLabels: { app: "a" }, ports: [70_000] } },
        path: "selector.ports[0]",
      },
      {
        config: {
          selector: { matchLabels: { app: "a" }, ports: [1], namespace: "a", namespaces: ["b"] },
        },
        path: "selector",
      },
      {
        config: { inferencePool: { name: "pool" }, cluster: { tokenFile: "/token" } },
        path: "cluster",
      },
      {
        config: { inferencePool: { name: "p" }, cluster: { server: "http://a", kubeconfig: "b" } },
        path: "cluster",
      },
      { config: { inferencePool: { name: "pool" }, strange: true }, path: "" },
    ],
  },
);
