import {
  cloneEndpointMetadata,
  createEndpointMetadata,
  type EndpointDiscovery,
  type EndpointMetadata,
} from "@muster/core";
import { type DiscoveryWorld, describeDefinition, describeDiscovery } from "@muster/testkit";
import { describe, it } from "vitest";
import type { KubernetesDiscoveryConfig } from "../../src/index.ts";
import kubernetesDiscovery from "../../src/index.ts";
import { installPools, type Objects, resources } from "../endpoints/objects.ts";
import { openWorld } from "../endpoints/world.ts";

interface Mode {
  readonly labels: Readonly<Record<string, string>>;
  config(namespace: string): KubernetesDiscoveryConfig;
  /** What has to be there beside the endpoints. */
  prepare?(objects: Objects): Promise<void>;
  add(objects: Objects, endpoint: EndpointMetadata): Promise<void>;
  move(objects: Objects, endpoint: EndpointMetadata): Promise<void>;
  remove(objects: Objects, podName: string): Promise<void>;
}

const app = { app: "vllm" };

const byPods: Pick<Mode, "labels" | "add" | "move" | "remove"> = {
  labels: app,
  add: (objects, { podName, address }) => objects.pod(podName, { addresses: [address] }),
  move: (objects, { podName, address }) => objects.status(podName, { addresses: [address] }),
  remove: (objects, podName) => objects.remove(resources.pods, podName),
};

const sliceOf = ({ podName, address }: EndpointMetadata) => ({
  addressType: address.includes(":") ? "IPv6" : "IPv4",
  endpoints: [{ addresses: [address], targetRef: { kind: "Pod", name: podName, uid: podName } }],
});

const modes: Readonly<Record<string, Mode>> = {
  "of a selector": {
    ...byPods,
    config: (namespace) => ({ selector: { matchLabels: app, ports: [8000], namespace } }),
  },
  "of a pool": {
    ...byPods,
    config: (namespace) => ({ inferencePool: { name: "llama", namespace } }),
    prepare: (objects) => objects.pool("llama", app, [8000]),
  },
  "of a Service": {
    labels: { "kubernetes.io/service-name": "vllm" },
    config: (namespace) => ({ service: { name: "vllm", namespace } }),
    add: (objects, endpoint) => objects.slice(endpoint.podName, sliceOf(endpoint)),
    move: (objects, endpoint) => objects.reslice(endpoint.podName, sliceOf(endpoint)),
    remove: (objects, podName) => objects.remove(resources.slices, podName),
  },
};

/** The suite knows one namespace, a cluster has one for every test. */
function inDefault(discovery: EndpointDiscovery): EndpointDiscovery {
  return {
    typedName: discovery.typedName,
    ready: () => discovery.ready(),
    start: (notifier, options) =>
      discovery.start(
        {
          ...notifier,
          upsert: (found) =>
            notifier.upsert(cloneEndpointMetadata(found, { namespace: "default" })),
          delete: ({ name }) => notifier.delete({ name, namespace: "default" }),
        },
        options,
      ),
  };
}

async function make(mode: Mode): Promise<DiscoveryWorld> {
  const world = await openWorld();
  const { api, objects, server } = world;
  if (mode.prepare) await installPools(api, resources.pools);
  await mode.prepare?.(objects);
  const present = new Set<string>();
  const config = { ...mode.config(objects.namespace), cluster: world.cluster };
  return {
    discovery: inDefault(kubernetesDiscovery.create(config)),
    async set(endpoints) {
      const wanted = new Set(endpoints.map(({ podName }) => podName));
      for (const name of present) if (!wanted.has(name)) await mode.remove(objects, name);
      for (const each of endpoints)
        await (present.has(each.podName) ? mode.move(objects, each) : mode.add(objects, each));
      present.clear();
      for (const name of wanted) present.add(name);
    },
    ...(server && { interrupt: () => server.stop(), restore: () => server.start() }),
    close: async () => {
      await world[Symbol.asyncDispose]();
    },
  };
}

for (const [name, mode] of Object.entries(modes)) {
  const endpoint = (podName: string, address: string): EndpointMetadata =>
    createEndpointMetadata({
      ...{ name: `${podName}-rank-0`, podName, address, port: 8000, labels: mode.labels },
    });
  describe(`endpoints ${name}`, () => {
    describeDiscovery(
      { describe, it },
      {
        make: () => make(mode),
        endpoints: [
          endpoint("a", "10.0.0.1"),
          endpoint("b", "2001:db8::1"),
          endpoint("c", "10.0.0.3"),
        ],
        changed: endpoint("a", "10.0.0.9"),
      },
    );
  });
}

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
      {
        config: { inferencePool: { name: "p", namespace: "a.b" } },
        path: "inferencePool.namespace",
      },
      {
        config: { selector: { matchLabels: { "a b": "c" }, ports: [1] } },
        path: "selector.matchLabels.a b",
      },
      {
        config: { selector: { matchLabels: { app: "a" }, ports: [1, 1] } },
        path: "selector.ports",
      },
      { config: { service: { name: "s", port: 0 } }, path: "service.port" },
      { config: { service: { name: "s" }, metrics: { path: "/a b" } }, path: "metrics.path" },
      { config: { service: { name: "s" }, metrics: { portAnnotation: "p" } }, path: "" },
      { config: { inferencePool: { name: "pool" }, strange: true }, path: "" },
    ],
  },
);
