import {
  type DiscoveryInstance,
  type DiscoverySpec,
  fromModelWithSuffix,
  RawJson,
  withInstanceId,
} from "@muster/core/plane";

/** What one worker can register: one record per slot, of every kind. */
export const slots = [
  "endpoint",
  "other endpoint",
  "base model",
  "adapter",
  "event channel",
  "event source",
] as const;

export type Slot = (typeof slots)[number];

/** Something that a worker is told to do. */
export type Action =
  | { readonly op: "register" | "unregister"; readonly slot: Slot; readonly value: number }
  | { readonly op: "taint"; readonly value: number };

const place = { namespace: "faults", component: "backend", endpoint: "generate" };
const scope = { kind: "component", namespace: "faults", component: "backend" } as const;

/** The record of a slot: every value makes another one. */
export function recordOf(instanceId: bigint, slot: Slot, value: number): DiscoveryInstance {
  return withInstanceId(specOf(instanceId, slot, value), instanceId);
}

/** What a worker registers for it; an address says whose it is, as those of real workers do. */
export function specOf(instanceId: bigint, slot: Slot, value: number): DiscoverySpec {
  const address = `192.0.2.1:${value}/${instanceId.toString(16)}`;
  switch (slot) {
    case "endpoint":
      return { type: "Endpoint", ...place, transport: { tcp: `${address}/generate` } };
    case "other endpoint": {
      const transport = { http: `http://${address}/generate2` };
      return { type: "Endpoint", ...place, endpoint: "generate2", transport };
    }
    case "base model":
      return fromModelWithSuffix({ ...place, card: { display_name: "base", value } });
    case "adapter": {
      const card = {
        display_name: "adapter",
        source_path: "base",
        lora: { name: "adapter" },
        value,
      };
      return fromModelWithSuffix({ ...place, card, modelSuffix: "adapter" });
    }
    case "event channel": {
      const transport = { kind: "Zmq", config: { endpoint: `tcp://${address}` } } as const;
      return { type: "EventChannel", scope, topic: "kv-events", instanceId, transport };
    }
    case "event source": {
      const metadata = RawJson.of({ value });
      return { type: "EventSource", scope, topic: "kv/events", publisherId: instanceId, metadata };
    }
  }
}
