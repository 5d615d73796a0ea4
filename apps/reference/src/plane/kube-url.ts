import { MusterError } from "@muster/core";
import type { ReadinessMode } from "@muster/discovery-k8s";

/** The plane of a Kubernetes namespace, to be looked at. */
export interface KubePlaneConfig {
  readonly type: "kubernetes";
  /** Default that of the context, or of the pod. */
  readonly namespace: string | undefined;
  readonly mode: ReadinessMode;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

const parameters = ["kubeconfig", "context", "mode"];
const scheme = /^kubernetes:\/\//i;

/** Whether a URL means a plane on Kubernetes. */
export function isKubeUrl(url: string | undefined): url is string {
  return url !== undefined && scheme.test(url);
}

/**
 * Reads `kubernetes://[namespace][?kubeconfig=/file&context=name&mode=container]`.
 *
 * @throws MusterError STORE_URL
 */
export function parseKubeUrl(url: string): KubePlaneConfig {
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

/** What makes workers ready, as a URL (STORE_URL) or a variable (STORE_CONFIG) says. */
export function readMode(
  mode: string,
  name: string,
  code: "STORE_URL" | "STORE_CONFIG",
): ReadinessMode {
  if (mode === "pod" || mode === "container") return mode;
  throw new MusterError(code, `${name}=${mode.slice(0, 100)}: use pod or container`, {
    path: name,
  });
}

function wrong(url: string, what: string): MusterError {
  return new MusterError("STORE_URL", `the URL "${url.slice(0, 200)}" ${what}`);
}
