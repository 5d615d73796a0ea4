import { createEndpointMetadata, type EndpointMetadata, isAddress } from "@muster/core";
import type { KubernetesDiscoveryConfig } from "./config.ts";
import { isServing, type Pod, podAddress } from "./pod.ts";

/** How pods become endpoints. */
export interface PodPlan extends Pick<KubernetesDiscoveryConfig, "addressFamily" | "metrics"> {
  /** The position of a port is the rank of its endpoint. */
  readonly ports: readonly number[];
}

/** Annotations that narrow the ports of one pod, the first one present counts (llm-d's names). */
const activePorts = ["llm-d.ai/active-ports", "inference.networking.k8s.io/active-ports"];

/** One endpoint for each port of a serving pod; none for every other pod. */
export function podEndpoints(pod: Pod, plan: PodPlan): EndpointMetadata[] {
  const address = isServing(pod) ? podAddress(pod, plan.addressFamily) : undefined;
  if (address === undefined) return [];
  const { metadata, status } = pod;
  const active = activePortsOf(pod);
  const hostIP = status?.hostIP;
  return plan.ports.flatMap((port, rankIndex) => {
    if (active !== undefined && !active.has(port)) return [];
    return createEndpointMetadata({
      name: `${metadata.name}-rank-${rankIndex}`,
      namespace: metadata.namespace,
      podName: metadata.name,
      address,
      port,
      nodeAddress: typeof hostIP === "string" && isAddress(hostIP) ? hostIP : undefined,
      metrics: metricsOf(pod, plan),
      labels: textsOf(metadata.labels),
      rankIndex,
    });
  });
}

/** Undefined: not narrowed. What is no port is left out; nothing usable means no port is active. */
function activePortsOf({ metadata }: Pod): ReadonlySet<number> | undefined {
  const annotations = textsOf(metadata.annotations);
  const said = activePorts.map((key) => annotations[key]).find((text) => text !== undefined);
  if (said === undefined) return undefined;
  const ports = said.split(",").map((part) => part.trim());
  return new Set(ports.filter((part) => /^\d{1,5}$/.test(part)).map(Number));
}

function metricsOf({ metadata }: Pod, { metrics = {} }: PodPlan) {
  const { port, path, scheme, portAnnotation } = metrics;
  const annotated =
    portAnnotation === undefined ? undefined : textsOf(metadata.annotations)[portAnnotation];
  const own = annotated !== undefined && /^[1-9]\d{0,4}$/.test(annotated) ? annotated : undefined;
  return { port: own ?? port, path, scheme };
}

/** A map of texts from outside, as data without a prototype; what is no text is left out. */
export function textsOf(map: unknown): Readonly<Record<string, string>> {
  const texts: Record<string, string> = Object.create(null);
  if (typeof map === "object" && map !== null)
    for (const [key, value] of Object.entries(map))
      if (typeof value === "string") texts[key] = value;
  return texts;
}
