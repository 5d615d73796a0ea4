import type { KubeResource } from "../api/resource.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { type ReadinessMode, recordName } from "./identity.ts";
import { isObject } from "./read-data.ts";

/** A worker that is ready, as one object says. */
export interface ReadyEntry {
  /** Name that its record has. */
  readonly name: string;
  /** Of its pod; old API servers do not tell it. */
  readonly podUid: string | undefined;
}

/** Where readiness is looked up in a mode, and how it is read. */
export interface ReadinessSource {
  readonly resource: KubeResource;
  entriesOf(object: KubeObject): readonly ReadyEntry[];
}

/** The source of each mode. */
export const readinessSources: Readonly<Record<ReadinessMode, ReadinessSource>> = {
  pod: {
    resource: { group: "discovery.k8s.io", version: "v1", plural: "endpointslices" },
    entriesOf: readyInSlice,
  },
  container: {
    resource: { group: "", version: "v1", plural: "pods" },
    entriesOf: readyInPod,
  },
};

/** Pods of the endpoints of a slice; ready is what says so, unlike elsewhere in Kubernetes. */
function readyInSlice(slice: KubeObject): readonly ReadyEntry[] {
  return list(slice.endpoints).flatMap(({ conditions, targetRef }) => {
    if (!isObject(conditions) || conditions.ready !== true || !isObject(targetRef)) return [];
    const { name, uid } = targetRef;
    return isText(name) ? [{ name, podUid: isText(uid) ? uid : undefined }] : [];
  });
}

function readyInPod({ metadata, status }: KubeObject): readonly ReadyEntry[] {
  const { name: podName, uid: podUid, namespace = "" } = metadata;
  if (!isObject(status) || podUid === undefined) return [];
  return list(status.containerStatuses).flatMap(({ name: containerName, ready }) => {
    if (ready !== true || !isText(containerName)) return [];
    const name = recordName({ podName, podUid, namespace, mode: "container", containerName });
    return [{ name, podUid }];
  });
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
