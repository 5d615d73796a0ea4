import {
  createEndpointMetadata,
  formatPlain,
  isAddress,
  MusterError,
  toMusterError,
} from "@muster/core";
import type { KubeObject } from "../reflector/kube-object.ts";
import type { KubernetesDiscoveryConfig } from "./config.ts";
import type { NamedEndpoint } from "./endpoint-roll.ts";
import type { OnInvalid } from "./follow-objects.ts";
import { isIP, unusable } from "./pod.ts";

/** An EndpointSlice (discovery.k8s.io/v1), as far as a discovery looks at it. */
export interface EndpointSlice extends KubeObject {
  readonly addressType?: string;
  readonly endpoints?: readonly (SliceEndpoint | null)[] | null;
  readonly ports?: readonly (SlicePort | null)[] | null;
}

interface SliceEndpoint {
  readonly addresses?: readonly string[] | null;
  readonly conditions?: {
    readonly ready?: boolean | null;
    readonly serving?: boolean | null;
    readonly terminating?: boolean | null;
  } | null;
  readonly targetRef?: {
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
  } | null;
}

interface SlicePort {
  readonly name?: string | null;
  readonly port?: number | null;
  readonly protocol?: string | null;
}

/** How a service's slices become endpoints. */
export interface SlicePlan extends Pick<KubernetesDiscoveryConfig, "metrics"> {
  readonly service: string;
  /** Name or number; undefined: the first. */
  readonly port?: string | number | undefined;
}

/**
 * One endpoint for each ready address of a slice. An endpoint that cannot be used is told and left out.
 *
 * @throws MusterError DISCOVERY_ENTRY when the slice has endpoints, but not the port.
 */
export function sliceEndpoints(
  slice: EndpointSlice,
  plan: SlicePlan,
  onInvalid: OnInvalid,
): NamedEndpoint[] {
  const endpoints = Array.isArray(slice.endpoints) ? slice.endpoints : [];
  const ready = endpoints.filter(isReady);
  if (ready.length === 0) return [];
  const port = portOf(slice, plan.port);
  const found = new Map<string, NamedEndpoint>();
  for (const endpoint of ready) {
    // all addresses of one endpoint are the same server, the first is to be used
    const address = endpoint.addresses?.[0];
    const usable = slice.addressType === "FQDN" ? isAddress(String(address)) : isIP(address);
    if (!usable)
      onInvalid(unusable(`endpoints[${formatPlain(address)}]`, address, "is no address"));
    else
      try {
        const named = endpointOf(endpoint, { slice, plan, port, address: String(address) });
        found.set(named.metadata.namespacedName.name, named);
      } catch (error) {
        // such as a pod whose name cannot be one: no reason to lose its neighbours
        onInvalid(toMusterError(error, "DISCOVERY_ENTRY", { path: `endpoints[${address}]` }));
      }
  }
  return [...found.values()];
}

interface Place {
  readonly slice: EndpointSlice;
  readonly plan: SlicePlan;
  readonly port: number;
  readonly address: string;
}

function endpointOf(
  { targetRef }: SliceEndpoint,
  { slice, plan, port, address }: Place,
): NamedEndpoint {
  const pod = targetRef?.kind === "Pod" && targetRef.name ? targetRef.name : undefined;
  const metadata = createEndpointMetadata({
    // without a pod there is nothing but where it is to tell endpoints apart
    name: `${pod ?? `${plan.service}-${address}-${port}`}-rank-0`,
    namespace: slice.metadata.namespace,
    podName: pod,
    address,
    port,
    metrics: plan.metrics,
    labels: { "kubernetes.io/service-name": plan.service },
  });
  return { metadata, uid: pod === undefined ? undefined : targetRef?.uid };
}

/**
 * What is unset means ready, serving and not terminating, as the API says. A Service that publishes
 * addresses which are not ready calls all of them `ready`: only `serving` has the truth then.
 */
function isReady(endpoint: SliceEndpoint | null): endpoint is SliceEndpoint {
  if (typeof endpoint !== "object" || endpoint === null) return false;
  const { ready, serving, terminating } = endpoint.conditions ?? {};
  return (ready ?? true) && (serving ?? true) && !(terminating ?? false);
}

function portOf({ ports }: EndpointSlice, wanted: string | number | undefined): number {
  const given: readonly (SlicePort | null)[] = Array.isArray(ports) ? ports : [];
  const list = given.filter((port) => port !== null && (port.protocol ?? "TCP") === "TCP");
  const found = list.find(
    (port) =>
      wanted === undefined || wanted === (typeof wanted === "number" ? port?.port : port?.name),
  );
  // without any port all are meant: a headless Service that names none
  const port = found?.port ?? (list.every((each) => each?.port == null) ? wanted : undefined);
  if (typeof port === "number") return port;
  const what = wanted === undefined ? "no port" : `no port ${formatPlain(wanted)}`;
  const has = list.map((each) => `${each?.name || "(no name)"}: ${each?.port}`).join(", ");
  throw new MusterError(
    "DISCOVERY_ENTRY",
    `the EndpointSlice has ${what}, but ${has === "" ? "none at all: configure its number" : has}`,
    { path: "ports" },
  );
}
