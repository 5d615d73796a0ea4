import { createEndpointMetadata, isPort } from "@muster/core";
import type { KubernetesDiscoveryConfig } from "./config.ts";
import type { NamedEndpoint } from "./endpoint-roll.ts";
import type { OnInvalid } from "./follow-objects.ts";
import { isIP, isServing, type Pod, podAddress, unusable } from "./pod.ts";
import { textsOf } from "./texts.ts";

/** How pods become endpoints. */
export interface PodPlan extends Pick<KubernetesDiscoveryConfig, "addressFamily" | "metrics"> {
  /** The position of a port is the rank of its endpoint. */
  readonly ports: readonly number[];
}

type Texts = Readonly<Record<string, string>>;

/** Annotations that narrow the ports of one pod, the first one present counts (llm-d's names). */
const activePorts = ["llm-d.ai/active-ports", "inference.networking.k8s.io/active-ports"];

/**
 * One endpoint for each active port of a serving pod; none for every other pod.
 *
 * @throws MusterError ENDPOINT_INVALID when the pod as a whole cannot be one.
 */
export function podEndpoints(pod: Pod, plan: PodPlan, onInvalid: OnInvalid): NamedEndpoint[] {
  const address = isServing(pod) ? podAddress(pod, plan.addressFamily, onInvalid) : undefined;
  if (address === undefined) return [];
  const { metadata, status } = pod;
  const annotations = textsOf(metadata.annotations, "metadata.annotations", onInvalid);
  const active = activePortsOf(annotations, onInvalid);
  const shared = {
    namespace: metadata.namespace,
    podName: metadata.name,
    address,
    nodeAddress: nodeAddressOf(status?.hostIP, onInvalid),
    metrics: metricsOf(annotations, plan, onInvalid),
    labels: textsOf(metadata.labels, "metadata.labels", onInvalid),
  };
  return plan.ports.flatMap((port, rankIndex) => {
    if (active !== undefined && !active.has(port)) return [];
    const name = `${metadata.name}-rank-${rankIndex}`;
    const { uid } = metadata;
    return { uid, metadata: createEndpointMetadata({ ...shared, name, port, rankIndex }) };
  });
}

function nodeAddressOf(hostIP: unknown, onInvalid: OnInvalid): string | undefined {
  if (isIP(hostIP)) return hostIP;
  if (hostIP) onInvalid(unusable("status.hostIP", hostIP, "is no IP address"));
  return undefined;
}

/** Undefined: not narrowed. What is no port is left out; nothing usable means that no port is active. */
function activePortsOf(annotations: Texts, onInvalid: OnInvalid): ReadonlySet<number> | undefined {
  const key = activePorts.find((name) => annotations[name] !== undefined);
  if (key === undefined) return undefined;
  const parts = annotations[key]?.split(",").map((text) => text.trim()) ?? [];
  // told of once: an annotation may hold 256 KiB of them
  const wrong = parts.find((part) => part !== "" && !isPort(part));
  if (wrong !== undefined) onInvalid(unusable(`metadata.annotations.${key}`, wrong, "is no port"));
  return new Set(parts.filter(isPort).map(Number));
}

function metricsOf(annotations: Texts, { metrics = {} }: PodPlan, onInvalid: OnInvalid) {
  const { portAnnotation, ...configured } = metrics;
  const own = portAnnotation === undefined ? undefined : annotations[portAnnotation];
  if (own === undefined) return configured;
  if (isPort(own)) return { ...configured, port: own };
  onInvalid(unusable(`metadata.annotations.${portAnnotation}`, own, "is no port"));
  return configured;
}
