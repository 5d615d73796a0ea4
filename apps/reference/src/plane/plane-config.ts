import type { StoreConfig } from "@muster/discovery-kv";
import { isKubeUrl, type KubePlaneConfig, parseKubeUrl, readMode } from "./kube-url.ts";
import { type Environment, resolveStore } from "./store-env.ts";
import { describeStore } from "./store-url.ts";

/** Where a plane is. */
export type PlaneConfig = StoreConfig | KubePlaneConfig;

/**
 * The plane that a URL names, or else the environment: `kubernetes://namespace`, or a store.
 *
 * @throws MusterError as `resolveStore` does.
 */
export function resolvePlane(url: string | undefined, env: Environment): PlaneConfig {
  if (isKubeUrl(url)) return parseKubeUrl(url);
  if (url !== undefined || env.DYN_DISCOVERY_BACKEND !== "kubernetes")
    return resolveStore(url, env);
  const { POD_NAMESPACE: namespace, DYN_KUBE_DISCOVERY_MODE: mode } = env;
  return {
    type: "kubernetes",
    namespace: namespace || undefined,
    mode: readMode(mode || "pod", "DYN_KUBE_DISCOVERY_MODE", "STORE_CONFIG"),
    kubeconfig: undefined,
    context: undefined,
  };
}

/** The plane for people. */
export function describePlane(config: PlaneConfig): string {
  if (config.type !== "kubernetes") return describeStore(config);
  const { namespace } = config;
  return `Kubernetes${namespace === undefined ? "" : ` namespace ${namespace}`}`;
}
