import { isAddress } from "@muster/core";
import type { KubeObject } from "../reflector/kube-object.ts";
import type { AddressFamily } from "./config.ts";

/** A pod, as far as a discovery looks at it. */
export interface Pod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly hostIP?: string;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
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
export function podAddress({ status }: Pod, family: AddressFamily | undefined): string | undefined {
  const listed = Array.isArray(status?.podIPs) ? status.podIPs.map((entry) => entry?.ip) : [];
  const addresses = [...listed, status?.podIP].filter(
    (address) => typeof address === "string" && isAddress(address),
  );
  return addresses.find((address) => familyOf(address as string) === family) ?? addresses[0];
}

/** The family of an address. */
export function familyOf(address: string): AddressFamily {
  return address.includes(":") ? "IPv6" : "IPv4";
}
