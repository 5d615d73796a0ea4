import type { DiscoveryMetadata } from "@muster/core/plane";
import type { KubeResource } from "../api/resource.ts";
import { type KubeIdentity, recordName } from "./identity.ts";

/** The custom resource that holds what one worker has registered. */
export const workerMetadata: KubeResource = Object.freeze({
  group: "nvidia.com",
  version: "v1alpha1",
  plural: "dynamoworkermetadatas",
});

/** Who the API server takes the original's workers, and ours, for. */
export const fieldManager = "dynamo-worker";

/** Carried by the EndpointSlices, or Pods, of workers that take part. */
export const discoverySelector = "nvidia.com/dynamo-discovery-enabled=true";

/** The object with a worker's metadata, as JSON, to be applied; it goes when its pod goes. */
export function workerMetadataJson(identity: KubeIdentity, metadata: DiscoveryMetadata): string {
  const name = recordName(identity);
  const owner = {
    apiVersion: "v1",
    kind: "Pod",
    name: identity.podName,
    uid: identity.podUid,
    controller: name === identity.podName,
    blockOwnerDeletion: false,
  };
  const head = JSON.stringify({
    apiVersion: `${workerMetadata.group}/${workerMetadata.version}`,
    kind: "DynamoWorkerMetadata",
    metadata: { name, namespace: identity.namespace, ownerReferences: [owner] },
  });
  // as text, so that numbers and cards stay as they are
  return `${head.slice(0, -1)},"spec":{"data":${metadata.toJson()}}}`;
}
