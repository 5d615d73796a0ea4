import { MusterError } from "@muster/core";
import type { ReadinessMode } from "@muster/discovery-k8s";
import type { StoreConfig } from "@muster/discovery-kv";
import { type Environment, resolveStore } from "./store-env.ts";
import { describeStore } from "./store-url.ts";

/** The plane of a Kubernetes namespace, to be looked at. */
export interface KubePlaneConfig {
  readonly type: "kubernetes";
  /** Default that of the context, or of the pod. */
  readonly namespace: string | undefined;
  readonly mode: ReadinessMode;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Where a plane is. */
export type PlaneConfig = StoreConfig | KubePlaneConfig;

const parameters = ["kubeconfig", "context", "mode"];
const scheme = /^kubernetes:\/\//i;

/** Whether a URL means a plane on Kubernetes. */
export function isKubeUrl(url: string | undefined): url is string {
  return url !== undefined && scheme.test(url);
}

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

/** `kubernetes://[namespace][?kubeconfig=/file&context=name&mode=container]` */
function parseKubeUrl(url: string): KubePlaneConfig {
  const [namespace = "", ...rest] = url.replace(scheme, "").split("?");
  const query = new URLSearchParams(rest.join("?"));
  for (const name of query.keys())
    if (!parameters.includes(name))
      throw wrong(url, `has a parameter "${name}"; it takes ${parameters.join(", ")}`);
  if (!/^[a-z0-9-]{0,63}$/.test(namespace))
    throw wrong(url, "needs the name of a namespace: write kubernetes://default");
  return {
    type: "kubernetes",
    namespace: namespace || undefined,
    mode: readMode(query.get("mode") ?? "pod", "mode", "STORE_URL"),
    kubeconfig: query.get("kubeconfig") ?? undefined,
    context: query.get("context") ?? undefined,
  };
}

function readMode(mode: string, name: string, code: "STORE_URL" | "STORE_CONFIG"): ReadinessMode {
  if (mode === "pod" || mode === "container") return mode;
  throw new MusterError(code, `${name}=${mode.slice(0, 100)}: use pod or container`, {
    path: name,
  });
}

function wrong(url: string, what: string): MusterError {
  return new MusterError("STORE_URL", `the URL "${url.slice(0, 200)}" ${what}`);
}
