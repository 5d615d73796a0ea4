import { formatPlain, isIPv4, isIPv6, MusterError } from "@muster/core";
import type { KubeObject } from "../reflector/kube-object.ts";
import type { AddressFamily } from "./config.ts";
import type { OnInvalid } from "./follow-objects.ts";

/** A pod, as far as a discovery looks at it. */
export interface Pod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly ({ readonly ip?: string } | null)[];
    readonly hostIP?: string;
    readonly conditions?: readonly ({ readonly type?: string; readonly status?: string } | null)[];
  };
}

/** Running, Ready, and not being deleted; the deletion is looked at first, since readiness lags behind it. */
export function isServing({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null) return false;
  if (status?.phase !== "Running") return false;
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.some((condition) => condition?.type === "Ready" && condition.status === "True");
}

/** The address to use: the first of the preferred family, else the first; undefined while there is none. */
export function podAddress(
  { status }: Pod,
  family: AddressFamily | undefined,
  onInvalid: OnInvalid,
): string | undefined {
  const listed = Array.isArray(status?.podIPs) ? status.podIPs.map((entry) => entry?.ip) : [];
  const usable: string[] = [];
  for (const address of new Set([...listed, status?.podIP]))
    if (isIP(address)) usable.push(address);
    else if (address) onInvalid(unusable("status.podIPs", address, "is no IP address"));
  return usable.find((address) => familyOf(address) === family) ?? usable[0];
}

/** Whether a value from outside is an address as pods and nodes have them: never a name. */
export function isIP(value: unknown): value is string {
  return typeof value === "string" && (isIPv4(value) || isIPv6(value));
}

/** The family of an address. */
export function familyOf(address: string): AddressFamily {
  return address.includes(":") ? "IPv6" : "IPv4";
}

/** What is wrong with one field of an object. */
export function unusable(path: string, value: unknown, rule: string): MusterError {
  return new MusterError("DISCOVERY_ENTRY", `${path}: ${formatPlain(value)} ${rule}`, { path });
}
