import type { EndpointMetadata } from "@muster/core";
import type { EndpointRecord } from "./endpoint-record.ts";
import type { FleetEndpoint } from "./fleet-endpoint.ts";

/** Finds the endpoints of a pod. Those without a pod name are in no pod. */
export class PodIndex {
  readonly #pods = new Map<string, Set<EndpointRecord>>();

  find(namespace: string, podName: string): readonly FleetEndpoint[] {
    const records = this.#pods.get(`${namespace}/${podName}`);
    return records === undefined ? [] : Array.from(records, (record) => record.view);
  }

  add(record: EndpointRecord, metadata: EndpointMetadata): void {
    if (metadata.podName === "") return;
    const key = keyOf(metadata);
    const pod = this.#pods.get(key) ?? new Set();
    this.#pods.set(key, pod.add(record));
  }

  remove(record: EndpointRecord, metadata: EndpointMetadata): void {
    const key = keyOf(metadata);
    const pod = this.#pods.get(key);
    if (pod?.delete(record) && pod.size === 0) this.#pods.delete(key);
  }
}

/** A slash cannot be in a namespace, so keys of different pods differ. */
function keyOf(metadata: EndpointMetadata): string {
  return `${metadata.namespacedName.namespace}/${metadata.podName}`;
}
