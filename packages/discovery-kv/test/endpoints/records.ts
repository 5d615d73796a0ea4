import { createEndpointMetadata, type EndpointMetadata, endpointId, hostPort } from "@muster/core";
import { EndpointInstance, encodeInstance, type KeyValueStore } from "@muster/core/plane";

/** The endpoint that the discovery makes of instance `id` of `ns/backend/generate`. */
export function served(id: number, address: string, port = 8000): EndpointMetadata {
  const hex = id.toString(16);
  return createEndpointMetadata({
    ...{ namespace: "ns", name: `backend-generate-${hex}`, address, port },
    labels: {
      "muster/namespace": "ns",
      "muster/component": "backend",
      "muster/endpoint": "generate",
      "muster/instance-id": hex,
      "muster/transport": "tcp",
    },
  });
}

/** The record of {@link served}, and its key. */
export function recordOf({
  labels,
  address,
  port,
}: EndpointMetadata): [key: string, value: string] {
  const hex = labels["muster/instance-id"] ?? "";
  const instance = new EndpointInstance({
    ...{ namespace: "ns", component: "backend", endpoint: "generate" },
    instanceId: BigInt(`0x${hex}`),
    transport: { tcp: `${hostPort(address, port)}/${hex}/generate` },
  });
  return [instance.id().toPath(), encodeInstance(instance)];
}

/** Writes records as others do: straight into the store. */
export class Registrar {
  readonly #store: KeyValueStore;
  readonly #written = new Map<string, [key: string, value: string]>();

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Makes exactly these endpoints exist. */
  async set(endpoints: readonly EndpointMetadata[]): Promise<void> {
    const bucket = this.#store.bucket("v1/instances");
    const wanted = new Map(endpoints.map((it) => [endpointId(it.namespacedName), recordOf(it)]));
    for (const [id, [key]] of this.#written)
      if (!wanted.has(id)) {
        await bucket.delete(key);
        this.#written.delete(id);
      }
    for (const [id, record] of wanted) {
      const [key, value] = record;
      const expected = this.#written.get(id)?.[1];
      if (expected === undefined) await bucket.create(key, value);
      else if (expected !== value) await bucket.compareAndReplace(key, { expected, value });
      this.#written.set(id, record);
    }
  }
}
