import { formatPlain } from "@muster/core";
import {
  type DiscoveryInstance,
  type DiscoveryInstanceId,
  type EventScope,
  type EventTransport,
  formatHexId,
  type ModelInstance,
  type TransportType,
} from "@muster/core/plane";

/** What names a record, part by part, as columns of a table; not yet safe to print. */
export function nameParts(named: DiscoveryInstance | DiscoveryInstanceId): readonly string[] {
  const id = formatHexId(named.instanceId);
  if (named.type === "Endpoint" || named.type === "Model")
    return [named.namespace, named.component, named.endpoint, id];
  return [scopeText(named.scope), named.topic, id];
}

/** What a record says beside its name, as columns of a table; not yet safe to print. */
export function valueParts(instance: DiscoveryInstance): readonly string[] {
  switch (instance.type) {
    case "Endpoint":
      return [transportText(instance.transport), instance.deviceType ?? ""];
    case "Model":
      return [modelName(instance), instance.modelSuffix ?? ""];
    case "EventChannel":
      return [eventTransportText(instance.transport)];
    case "EventSource":
      return [instance.metadata.text];
  }
}

/** The card's `display_name`; a card may be anything. */
function modelName({ cardJson }: ModelInstance): string {
  const card = cardJson.value as { readonly display_name?: unknown } | null | undefined;
  const name = card?.display_name;
  return typeof name === "string" ? name : "(no display_name)";
}

function transportText(transport: TransportType): string {
  return Object.entries(transport)
    .map(
      ([kind, address]) =>
        `${kind} ${typeof address === "string" ? address : formatPlain(address)}`,
    )
    .join(" ");
}

function eventTransportText({ kind, config }: EventTransport): string {
  return `${kind} ${Object.values(config).flat().join(" ")}`;
}

function scopeText(scope: EventScope): string {
  if (scope.kind === "namespace") return scope.name;
  if (scope.kind === "component") return `${scope.namespace}/${scope.component}`;
  const { namespace, component, name } = scope.endpoint;
  return `${namespace}/${component}/${name}`;
}
