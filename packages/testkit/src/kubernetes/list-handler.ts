import type { ApiObject } from "./api-object.ts";
import { present } from "./objects.ts";
import { apiVersionOf, type ResourceType } from "./resource-types.ts";
import { selectorOf } from "./selectors.ts";
import { badRequest, expired } from "./status.ts";
import type { Storage } from "./storage.ts";

/** A list that is being read page by page: what there was when it began. */
interface Snapshot {
  readonly revision: number;
  readonly objects: readonly ApiObject[];
}

/** Answers lists, whole or in pages that all belong to one revision. */
export class ListHandler {
  readonly #storage: Storage;
  readonly #snapshots = new Map<number, Snapshot>();
  #nextSnapshot = 1;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  list(type: ResourceType, namespace: string | undefined, query: URLSearchParams): object {
    const limit = Number(query.get("limit") ?? 0);
    const token = query.get("continue") ?? "";
    const [id, snapshot, start] =
      token === "" ? this.#begin(type, namespace, query) : this.#resume(token);
    const end = limit > 0 ? start + limit : snapshot.objects.length;
    const remaining = snapshot.objects.length - end;
    if (remaining <= 0) this.#snapshots.delete(id);
    return {
      kind: `${type.kind}List`,
      apiVersion: apiVersionOf(type),
      metadata: {
        resourceVersion: String(snapshot.revision),
        ...(remaining > 0 && {
          continue: btoa(JSON.stringify({ id, start: end })),
          remainingItemCount: remaining,
        }),
      },
      items: snapshot.objects.slice(start, end).map((object) => item(type, object)),
    };
  }

  #begin(
    type: ResourceType,
    namespace: string | undefined,
    query: URLSearchParams,
  ): [number, Snapshot, number] {
    const selected = selectorOf(query);
    const objects = this.#storage.list(type, namespace).filter(selected);
    const snapshot = { revision: this.#storage.revision, objects };
    const id = this.#nextSnapshot++;
    this.#snapshots.set(id, snapshot);
    return [id, snapshot, 0];
  }

  #resume(token: string): [number, Snapshot, number] {
    const { id, start } = readToken(token);
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined || snapshot.revision <= this.#storage.compacted) {
      this.#snapshots.delete(id);
      throw expired(token, this.#storage.compacted);
    }
    return [id, snapshot, start];
  }
}

function readToken(token: string): { id: number; start: number } {
  try {
    return JSON.parse(atob(token)) as { id: number; start: number };
  } catch {
    throw badRequest("continue key is not valid");
  }
}

/** Items of built-in lists leave out kind and apiVersion, those of custom resources have them. */
function item(type: ResourceType, object: ApiObject): object {
  if (type.group.includes(".") && !type.group.endsWith("k8s.io")) return present(type, object);
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}
