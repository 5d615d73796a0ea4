import { formatPlain, MusterError } from "@muster/core";
import type { KubeResource } from "../api/resource.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { isLabel, isPortNumber, maxPorts } from "./config.ts";
import { textsOf } from "./texts.ts";

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
  const spec = recordOf(pool.spec);
  const selector = recordOf(spec.selector);
  const inner = selector.matchLabels;
  const matchLabels = textsOf(
    typeof inner === "object" && inner !== null ? inner : selector,
    "spec.selector",
    (problem) => refuse(pool, problem.message),
  );
  const ports = Array.isArray(spec.targetPorts)
    ? spec.targetPorts.map((port: unknown) => recordOf(port).number)
    : [spec.targetPortNumber].filter((port) => port !== undefined);
  if (Object.keys(matchLabels).length === 0) refuse(pool, "spec.selector has no label");
  // what is no label would be something else in the query: a comma selects by two
  for (const [key, value] of Object.entries(matchLabels))
    if (!isLabel(key, value))
      refuse(pool, `spec.selector: ${formatPlain({ [key]: value })} is no label`);
  if (ports.length === 0 || ports.length > maxPorts)
    refuse(pool, `there are ${ports.length} target ports: 1 to ${maxPorts} can be`);
  if (!ports.every(isPortNumber) || new Set(ports).size < ports.length)
    refuse(pool, `the target ports are ${formatPlain(ports)}: they must be different ports`);
  return { matchLabels, ports };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function refuse({ metadata: { namespace, name } }: KubeObject, why: string): never {
  throw new MusterError("KUBE_INVALID", `InferencePool ${namespace}/${name}: ${why}`);
}
