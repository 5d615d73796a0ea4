import type { ApiObject } from "./api-object.ts";
import { type ResourceType, storageKey } from "./resource-types.ts";

/** One change of one object, as the history keeps it. */
export interface StorageEvent {
  readonly revision: number;
  readonly resource: string;
  /** What was there before. */
  readonly before: ApiObject | undefined;
  /** What is there now; undefined: deleted. */
  readonly after: ApiObject | undefined;
}

/** Told of every change, in order. */
export type StorageListener = (event: StorageEvent) => void;

/** Changes that are remembered; what is older counts as compacted. */
const maxHistory = 50_000;

/** Objects by resource and key, one revision for all, and the history that watches begin from. */
export class Storage {
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #listeners = new Set<StorageListener>();
  #history: StorageEvent[] = [];
  /** Revisions up to this one are forgotten. */
  #compacted = 0;
  #revision = 1;

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** All objects of a resource, in the order of their keys. */
  list(type: ResourceType, namespace?: string): ApiObject[] {
    const objects = this.#objects.get(storageKey(type)) ?? new Map<string, ApiObject>();
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    return [...objects]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  get(type: ResourceType, key: string): ApiObject | undefined {
    return this.#objects.get(storageKey(type))?.get(key);
  }

  /** Every object there is, with the resource it is stored under. */
  *everything(): Iterable<readonly [resource: string, object: ApiObject]> {
    for (const [resource, objects] of this.#objects)
      for (const object of objects.values()) yield [resource, object];
  }

  /** Stores an object under the next revision, which it gets; gives back what was stored. */
  put(type: ResourceType, object: ApiObject): ApiObject {
    const resource = storageKey(type);
    const objects = this.#objects.get(resource) ?? new Map<string, ApiObject>();
    this.#objects.set(resource, objects);
    const key = keyOf(object);
    const before = objects.get(key);
    const after = this.#stamped(object);
    objects.set(key, after);
    this.#record({ revision: this.#revision, resource, before, after });
    return after;
  }

  /** Removes an object; gives back its last form, under the revision of its removal. */
  remove(resource: string, object: ApiObject): ApiObject {
    this.#objects.get(resource)?.delete(keyOf(object));
    const last = this.#stamped(object);
    this.#record({ revision: this.#revision, resource, before: last, after: undefined });
    return last;
  }

  /** What happened to a resource after a revision. */
  since(resource: string, revision: number): StorageEvent[] {
    return this.#history.filter(
      (event) => event.resource === resource && event.revision > revision,
    );
  }

  /** Forgets the history: who is behind now has to list. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#history = [];
  }

  /** Calls back at every change until the returned function is called. */
  listen(listener: StorageListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #stamped(object: ApiObject): ApiObject {
    this.#revision += 1;
    return {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#revision) },
    };
  }

  #record(event: StorageEvent): void {
    this.#history.push(event);
    if (this.#history.length > maxHistory) {
      const forgotten = this.#history.splice(0, maxHistory / 2);
      this.#compacted = forgotten.at(-1)?.revision ?? this.#compacted;
    }
    for (const listener of [...this.#listeners]) listener(event);
  }
}

/** `namespace/name`, or the name alone. */
function keyOf({ metadata }: ApiObject): string {
  return objectKey(metadata.namespace, metadata.name);
}

/** `namespace/name`, or the name alone. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
