import type { ApiObject } from "./api-object.ts";
import { present } from "./presentation.ts";
import { apiVersionOf, type ResourceType } from "./resource-types.ts";
import { selectorOf } from "./selectors.ts";
import { badRequest, expired, invalid } from "./status.ts";
import type { Storage } from "./storage.ts";

/** A list that is being read page by page: what there was when it began. */
interface Snapshot {
  readonly revision: number;
  readonly objects: readonly ApiObject[];
}

/** Where a page begins. */
interface Place {
  readonly id: number;
  readonly snapshot: Snapshot;
  readonly start: number;
}

/** Lists that may be half-way read at a time; the oldest one expires. */
const maxSnapshots = 100;

/** Answers lists, whole or in pages that all belong to one revision. */
export class ListHandler {
  readonly #storage: Storage;
  readonly #snapshots = new Map<number, Snapshot>();
  #nextSnapshot = 1;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  list(type: ResourceType, namespace: string | undefined, query: URLSearchParams): object {
    const limit = count(query, "limit");
    count(query, "resourceVersion");
    const token = query.get("continue") ?? "";
    const place = token === "" ? this.#begin(type, namespace, query) : this.#resume(token);
    const { id, snapshot, start } = place;
    const end = limit > 0 ? start + limit : snapshot.objects.length;
    const remaining = snapshot.objects.length - end;
    if (remaining > 0) this.#keep(id, snapshot);
    else this.#snapshots.delete(id);
    // the count is left out where a selector would make it a guess
    const isSelected = query.has("labelSelector") || query.has("fieldSelector");
    return {
      kind: `${type.kind}List`,
      apiVersion: apiVersionOf(type),
      metadata: {
        resourceVersion: String(snapshot.revision),
        ...(remaining > 0 && { continue: btoa(JSON.stringify({ id, start: end })) }),
        ...(remaining > 0 && !isSelected && { remainingItemCount: remaining }),
      },
      items: snapshot.objects.slice(start, end).map((object) => item(type, object)),
    };
  }

  #begin(type: ResourceType, namespace: string | undefined, query: URLSearchParams): Place {
    const objects = this.#storage.list(type, namespace).filter(selectorOf(type, query));
    const snapshot = { revision: this.#storage.revision, objects };
    return { id: this.#nextSnapshot++, snapshot, start: 0 };
  }

  #resume(token: string): Place {
    const { id, start } = readToken(token);
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined || snapshot.revision <= this.#storage.compacted) {
      this.#snapshots.delete(id);
      throw expired(
        "The provided continue parameter is too old to display a consistent list result.",
      );
    }
    return { id, snapshot, start };
  }

  #keep(id: number, snapshot: Snapshot): void {
    this.#snapshots.set(id, snapshot);
    const [oldest] = this.#snapshots.keys();
    if (this.#snapshots.size > maxSnapshots && oldest !== undefined) this.#snapshots.delete(oldest);
  }
}

function count(query: URLSearchParams, name: string): number {
  const value = Number(query.get(name) ?? 0);
  if (Number.isInteger(value) && value >= 0) return value;
  throw invalid("ListOptions", `${name}: Invalid value: "${query.get(name)}"`);
}

function readToken(token: string): { id: number; start: number } {
  try {
    const { id, start } = JSON.parse(atob(token)) as { id?: unknown; start?: unknown };
    if (typeof id === "number" && typeof start === "number") return { id, start };
  } catch {
    // answered below, as every other token that is not ours
  }
  throw badRequest("continue key is not valid");
}

/** Items of built-in lists leave out kind and apiVersion, those of custom resources have them. */
function item(type: ResourceType, object: ApiObject): object {
  if (type.custom) return present(type, object);
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}
