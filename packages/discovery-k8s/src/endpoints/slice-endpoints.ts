import { createEndpointMetadata, type EndpointMetadata, isAddress } from "@muster/core";
import type { KubeObject } from "../reflector/kube-object.ts";
import type { KubernetesDiscoveryConfig } from "./config.ts";

/** An EndpointSlice (discovery.k8s.io/v1), as far as a discovery looks at it. */
export interface EndpointSlice extends KubeObject {
  readonly addressType?: string;
  readonly endpoints?: readonly (SliceEndpoint | null)[] | null;
  readonly ports?: readonly (SlicePort | null)[] | null;
}

interface SliceEndpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: {
    readonly ready?: boolean | null;
    readonly serving?: boolean | null;
    readonly terminating?: boolean | null;
  };
  readonly targetRef?: { readonly kind?: string; readonly name?: string };
}

interface SlicePort {
  readonly name?: string;
  readonly port?: number;
}

/** How a service's slices become endpoints. */
export interface SlicePlan extends Pick<KubernetesDiscoveryConfig, "metrics"> {
  readonly service: string;
  /** Name or number; undefined: the first. */
  readonly port?: string | number | undefined;
}

/** One endpoint for each ready address of a slice; none when the slice lacks the port. */
export function sliceEndpoints(slice: EndpointSlice, plan: SlicePlan): EndpointMetadata[] {
  const port = portOf(slice, plan.port);
  if (port === undefined || !Array.isArray(slice.endpoints)) return [];
  const { namespace } = slice.metadata;
  return slice.endpoints.flatMap((endpoint: SliceEndpoint | null) => {
    const address = endpoint?.addresses?.[0];
    if (!endpoint || !isReady(endpoint) || typeof address !== "string" || !isAddress(address))
      return [];
    const { kind, name } = endpoint.targetRef ?? {};
    const pod = kind === "Pod" && typeof name === "string" ? name : undefined;
    return createEndpointMetadata({
      // without a pod the address is all there is to tell endpoints apart
      name: `${pod ?? `${plan.service}-${address.replaceAll(/[:.]/g, "-")}`}-rank-0`,
      namespace,
      podName: pod,
      address,
      port,
      metrics: plan.metrics,
      labels: { "kubernetes.io/service-name": plan.service },
    });
  });
}

/** `ready` unset means ready, as the API says; what is terminating gets no new work. */
function isReady({ conditions = {} }: SliceEndpoint): boolean {
  return (conditions.ready ?? true) && !(conditions.terminating ?? false);
}

function portOf({ ports }: EndpointSlice, wanted: string | number | undefined): number | undefined {
  const list = (Array.isArray(ports) ? ports : []).filter((port) => port !== null);
  const found =
    wanted === undefined
      ? list[0]
      : list.find(({ name, port }) => (typeof wanted === "number" ? port : name) === wanted);
  return Number.isInteger(found?.port) ? found?.port : undefined;
}
