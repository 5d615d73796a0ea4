import type { PlainValue } from "@muster/core";

/** Metadata of a Kubernetes object, as far as a reflector looks at it. */
export interface KubeObjectMeta {
  readonly name: string;
  /** Unset for objects without namespaces. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [key: string]: PlainValue;
}

/** A Kubernetes object of any kind; `metadata.name` is certain, the rest is what the server said. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: KubeObjectMeta;
  readonly [key: string]: unknown;
}

/** Whether a value can be followed as an object: it has a name, and texts where texts must be. */
export function isKubeObject(value: unknown): value is KubeObject {
  if (typeof value !== "object" || value === null) return false;
  const { metadata } = value as { metadata?: unknown };
  if (typeof metadata !== "object" || metadata === null) return false;
  const { name, namespace, uid, resourceVersion } = metadata as Record<string, unknown>;
  return (
    typeof name === "string" &&
    name !== "" &&
    [namespace, uid, resourceVersion].every(
      (text) => text === undefined || text === null || typeof text === "string",
    )
  );
}

/** `namespace/name`, or the name alone: what is unique within one resource. */
export function objectKey({ metadata }: KubeObject): string {
  return metadata.namespace === undefined
    ? metadata.name
    : `${metadata.namespace}/${metadata.name}`;
}
