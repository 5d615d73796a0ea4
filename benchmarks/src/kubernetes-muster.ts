import { createDiscoveryNotifier, type EndpointMetadata } from "@muster/core";
import kubernetesDiscovery, {
  createKubeApi,
  createReflector,
  directCluster,
  type KubeObject,
} from "@muster/discovery-k8s";
import {
  followed,
  type KubernetesClient,
  type ListedPod,
  podVersions,
} from "./kubernetes-client.ts";
import { podLabels } from "./kubernetes-pods.ts";

/** The reflector alone, its reader keeping every pod whole as an informer does. */
export function reflectorClient(server: string, labelSelector: string): KubernetesClient {
  const pods = new Map<string, KubeObject>();
  let changes = 0;
  const reflector = createReflector({
    api: createKubeApi(directCluster({ server })),
    resource: { group: "", version: "v1", plural: "pods" },
    namespace: followed.namespace,
    labelSelector,
  });
  const read = async (onSynced: () => void): Promise<void> => {
    for await (const event of reflector.events({ signal: new AbortController().signal })) {
      if (event.type === "Synced") {
        onSynced();
        continue;
      }
      changes += 1;
      const { name } = event.object.metadata;
      if (event.type === "Deleted") pods.delete(name);
      else pods.set(name, event.object);
    }
  };
  return {
    start: () => new Promise((resolve, reject) => void read(resolve).catch(reject)),
    changes: () => changes,
    view: () => podVersions(pods.values() as Iterable<ListedPod>),
    truth: podVersions,
  };
}

/** The discovery, filling a map of endpoints instead of a runtime. */
export function discoveryClient(server: string): KubernetesClient {
  const endpoints = new Map<string, EndpointMetadata>();
  let changes = 0;
  const discovery = kubernetesDiscovery.create({
    selector: { matchLabels: podLabels, ports: [8000], namespace: followed.namespace },
    cluster: { server },
  });
  const notifier = createDiscoveryNotifier({
    endpointUpsert: (metadata) => {
      changes += 1;
      endpoints.set(metadata.namespacedName.name, metadata);
    },
    endpointDelete: ({ name }) => {
      changes += 1;
      endpoints.delete(name);
    },
  });
  return {
    start: async () => {
      const running = discovery.start(notifier, { signal: new AbortController().signal });
      await Promise.race([discovery.ready(), running]);
    },
    changes: () => changes,
    view: () => new Map([...endpoints].map(([name, { address }]) => [name, address])),
    truth: (pods) =>
      new Map(
        pods
          .filter(isReady)
          .map(({ metadata, status }) => [`${metadata.name}-rank-0`, status.podIP]),
      ),
  };
}

function isReady({ status }: ListedPod): boolean {
  return status.conditions.some(({ type, status: held }) => type === "Ready" && held === "True");
}
