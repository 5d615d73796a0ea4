import type { EndpointWriter } from "./endpoint.ts";

/** What happened: `AddOrUpdate` when created or updated, `Delete` when gone. */
export type EventType = "AddOrUpdate" | "Delete";

/** One change in the life of an endpoint. */
export interface EndpointEvent {
  readonly type: EventType;
  /** After a Delete its handle is dead: it can be read, not written. */
  readonly endpoint: EndpointWriter;
}

/** JSON-shaped data of any kind. */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

/** A Kubernetes object of any kind: frozen, and shared by all who get it. */
export interface Unstructured {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [key: string]: PlainValue;
  };
  readonly [key: string]: PlainValue;
}

/** One change of a watched Kubernetes object. On Delete it has only kind, name and namespace. */
export interface NotificationEvent {
  readonly type: EventType;
  readonly object: Unstructured;
}
