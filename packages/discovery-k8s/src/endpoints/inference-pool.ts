import { MusterError } from "@muster/core";
import type { KubeResource } from "../api/resource.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { textsOf } from "./pod-endpoints.ts";

/** The versions of InferencePool that are understood, the preferred one first. */
export const poolResources: readonly KubeResource[] = [
  { group: "inference.networking.k8s.io", version: "v1", plural: "inferencepools" },
  { group: "inference.networking.x-k8s.io", version: "v1alpha2", plural: "inferencepools" },
];

/** What a pool says about its pods. */
export interface PoolSpec {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
}

/**
 * Reads an InferencePool: `spec.selector.matchLabels` and `spec.targetPorts[].number` (v1), or labels right
 * under `spec.selector` and `spec.targetPortNumber` (v1alpha2).
 *
 * @throws MusterError KUBE_INVALID
 */
export function readPool(pool: KubeObject): PoolSpec {
  const spec = (pool.spec ?? {}) as Readonly<Record<string, unknown>>;
  const selector = (spec.selector ?? {}) as Readonly<Record<string, unknown>>;
  const matchLabels = textsOf(
    typeof selector.matchLabels === "object" ? selector.matchLabels : selector,
  );
  const listed = Array.isArray(spec.targetPorts)
    ? spec.targetPorts.map((port: { number?: unknown } | null) => port?.number)
    : [spec.targetPortNumber];
  const ports = listed.filter(
    (port): port is number => Number.isInteger(port) && Number(port) > 0 && Number(port) < 65536,
  );
  const { name, namespace } = pool.metadata;
  if (Object.keys(matchLabels).length === 0 || ports.length === 0)
    throw new MusterError(
      "KUBE_INVALID",
      `InferencePool ${namespace}/${name}: its spec has no selector or no target port`,
    );
  return { matchLabels, ports };
}

/** `a=b,c=d`, for a list of pods. */
export function selectorText(matchLabels: Readonly<Record<string, string>>): string {
  return Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}=${matchLabels[key]}`)
    .join(",");
}
