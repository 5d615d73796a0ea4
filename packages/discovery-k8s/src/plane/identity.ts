import { MusterError } from "@muster/core";

/** What makes a worker ready: its pod in an EndpointSlice, or its container in the pod's status. */
export type ReadinessMode = "pod" | "container";

/** Who a worker is on Kubernetes. */
export interface KubeIdentity {
  readonly podName: string;
  readonly podUid: string;
  readonly namespace: string;
  /** Default `pod`. With `container` each container of a pod is a worker of its own. */
  readonly mode?: ReadinessMode | undefined;
  /** Needed with `container`. */
  readonly containerName?: string | undefined;
}

/** The container that is its pod, by name. */
const mainContainer = "main";
/** Names of objects: RFC 1123 subdomains. */
const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Name of a worker's record, which its instance id is made from: the pod's, and in container mode, but
 * for a container called `main`, `{pod}-{container}`.
 */
export function recordName({ podName, mode, containerName = mainContainer }: KubeIdentity): string {
  return mode !== "container" || containerName === mainContainer
    ? podName
    : `${podName}-${containerName}`;
}

/**
 * The identity, if it can be one.
 *
 * @throws MusterError KUBE_CONFIG
 */
export function checkIdentity(identity: KubeIdentity): KubeIdentity {
  const { podName, podUid, namespace, mode = "pod", containerName } = identity;
  checkName("podName", podName);
  checkName("namespace", namespace);
  if (typeof podUid !== "string" || podUid === "" || podUid.length > 253)
    throw wrongIdentity("podUid", podUid, "is no uid");
  if (mode !== "pod" && mode !== "container")
    throw wrongIdentity("mode", mode, "must be pod or container");
  if (containerName !== undefined) checkName("containerName", containerName);
  else if (mode === "container")
    throw wrongIdentity("containerName", containerName, "is needed in mode container");
  checkName("podName with containerName", recordName(identity));
  return identity;
}

function checkName(path: string, name: unknown): void {
  if (typeof name !== "string" || name.length > 253 || !objectName.test(name))
    throw wrongIdentity(path, name, "is no name of a Kubernetes object");
}

function wrongIdentity(path: string, value: unknown, problem: string): MusterError {
  const given = JSON.stringify(value)?.slice(0, 100) ?? "nothing";
  return new MusterError("KUBE_CONFIG", `identity: ${path} ${problem}, got ${given}`, {
    path: `identity.${path}`,
  });
}
