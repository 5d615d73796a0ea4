import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import {
  followed,
  type KubernetesClient,
  type ListedPod,
  podVersions,
} from "./kubernetes-client.ts";

/** `makeInformer` of `@kubernetes/client-node`, used as its examples do. */
export function informerClient(server: string, labelSelector: string): KubernetesClient {
  const config = kubeConfigOf(server);
  const api = config.makeApiClient(CoreV1Api);
  const { namespace, path } = followed;
  const list = () => api.listNamespacedPod({ namespace, labelSelector });
  const informer = makeInformer(config, path, list, labelSelector);
  let changes = 0;
  for (const verb of ["add", "update", "delete"] as const)
    informer.on(verb, () => {
      changes += 1;
    });
  return {
    start: () => informer.start(),
    changes: () => changes,
    view: () => podVersions(informer.list() as unknown as ListedPod[]),
    truth: podVersions,
  };
}

/** A configuration without credentials. */
export function kubeConfigOf(server: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    // it refuses plain http otherwise
    clusters: [{ name: "bench", server, skipTLSVerify: true }],
    users: [{ name: "bench" }],
    contexts: [{ name: "bench", cluster: "bench", user: "bench" }],
    currentContext: "bench",
  });
  return config;
}
