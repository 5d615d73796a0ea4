/** Metadata of an object in the server's hands. */
export interface ApiMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedField[];
}

/** Who an object belongs to. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** What a field manager applied, in the server's own short form. */
export interface ManagedField {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time: string;
  fieldsType: "FieldsV1";
  fieldsV1: Record<string, unknown>;
}

/** A Kubernetes object as the server keeps it; never changed in place. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ApiMeta;
  [field: string]: unknown;
}

/** A JSON object of unknown shape. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
