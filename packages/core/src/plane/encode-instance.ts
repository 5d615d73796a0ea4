import type { DiscoveryInstance } from "./discovery-instance.ts";
import { stringifyJson } from "./stringify-json.ts";

/**
 * A record as it is stored: compact JSON with the original's members in its order, then those we do
 * not know. Cards, metadata and unknown members are written as they were given, to the byte.
 */
export function encodeInstance(instance: DiscoveryInstance): string {
  const known = stringifyJson(wireOf(instance));
  const { unknownFields } = instance;
  if (unknownFields.length === 0) return known;
  const rest = unknownFields.map(([name, value]) => `${JSON.stringify(name)}:${value.text}`);
  return `${known.slice(0, -1)},${rest.join(",")}}`;
}

function wireOf(instance: DiscoveryInstance): object {
  const { type } = instance;
  switch (type) {
    case "Endpoint": {
      const { component, endpoint, namespace, instanceId: instance_id, transport } = instance;
      const { deviceType: device_type, requestPlaneCodec: request_plane_codec } = instance;
      const base = { type, component, endpoint, namespace, instance_id, transport };
      return { ...base, device_type, request_plane_codec };
    }
    case "Model": {
      const { namespace, component, endpoint, instanceId: instance_id } = instance;
      const { cardJson: card_json, modelSuffix: model_suffix } = instance;
      return { type, namespace, component, endpoint, instance_id, card_json, model_suffix };
    }
    case "EventChannel": {
      const { scope, topic, instanceId: instance_id, transport } = instance;
      return { type, scope, topic, instance_id, transport };
    }
    case "EventSource": {
      const { scope, topic, publisherId: publisher_id, metadata } = instance;
      return { type, scope, topic, publisher_id, metadata };
    }
  }
}
