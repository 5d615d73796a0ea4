import { formatPlain } from "../plain-data.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";
import { wrongVariant } from "./plane-error.ts";
import type { DiscoveryKind } from "./plane-keys.ts";

/** What a query asks for: a kind of records, and the names that they must have, from the widest. */
export interface QueryShape {
  readonly kind: DiscoveryKind;
  readonly names: readonly ("namespace" | "component" | "endpoint")[];
}

const inNamespace = ["namespace"] as const;
const inComponent = ["namespace", "component"] as const;
const inEndpoint = ["namespace", "component", "endpoint"] as const;

const shapes: Readonly<Record<DiscoveryQuery["type"], QueryShape>> = {
  AllEndpoints: { kind: "Endpoint", names: [] },
  NamespacedEndpoints: { kind: "Endpoint", names: inNamespace },
  ComponentEndpoints: { kind: "Endpoint", names: inComponent },
  Endpoint: { kind: "Endpoint", names: inEndpoint },
  AllModels: { kind: "Model", names: [] },
  NamespacedModels: { kind: "Model", names: inNamespace },
  ComponentModels: { kind: "Model", names: inComponent },
  EndpointModels: { kind: "Model", names: inEndpoint },
  EventChannels: { kind: "EventChannel", names: [] },
  EventSources: { kind: "EventSource", names: [] },
};

/** The shape of a query; PLANE_VARIANT when its `type` is unknown. */
export function queryShape({ type }: DiscoveryQuery): QueryShape {
  if (Object.hasOwn(shapes, type)) return shapes[type];
  throw wrongVariant("a DiscoveryQuery", formatPlain(type));
}
