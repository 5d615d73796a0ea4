import {
  type DiscoveryNotifier,
  type EndpointMetadata,
  endpointId,
  equalEndpointMetadata,
} from "@muster/core";

/** What one object says: the endpoints it stands for. */
export interface Contribution {
  /** Uid of the object: another one is another object, whatever its name. */
  readonly uid: string | undefined;
  readonly endpoints: readonly EndpointMetadata[];
}

/**
 * Turns what objects say into what the notifier is told. Several objects may name one endpoint (a pod is
 * in two slices): the one that is preferred counts, and the endpoint leaves with the last of them.
 */
export class EndpointRoll {
  readonly #notifier: DiscoveryNotifier;
  readonly #prefers: (a: EndpointMetadata, b: EndpointMetadata) => boolean;
  readonly #contributions = new Map<string, Contribution>();
  /** By endpoint id, then by key of the object that names it. */
  readonly #named = new Map<string, Map<string, EndpointMetadata>>();
  readonly #reported = new Map<string, EndpointMetadata>();

  /** @param prefers whether `a` is better than `b` for one endpoint */
  constructor(
    notifier: DiscoveryNotifier,
    prefers: (a: EndpointMetadata, b: EndpointMetadata) => boolean = () => false,
  ) {
    this.#notifier = notifier;
    this.#prefers = prefers;
  }

  /** Endpoints that are reported now. */
  get size(): number {
    return this.#reported.size;
  }

  /** Keys of the objects that were set and not removed. */
  keys(): Iterable<string> {
    return this.#contributions.keys();
  }

  /** An object says this now, instead of what it said before. */
  set(key: string, contribution: Contribution): void {
    const before = this.#contributions.get(key);
    // an object that was replaced is gone first, so that nothing of the old one lives on
    if (before !== undefined && before.uid !== contribution.uid) this.remove(key);
    const stale = new Set(this.#idsOf(key));
    this.#contributions.set(key, contribution);
    for (const endpoint of contribution.endpoints) {
      const id = endpointId(endpoint.namespacedName);
      stale.delete(id);
      const named = this.#named.get(id) ?? new Map<string, EndpointMetadata>();
      this.#named.set(id, named.set(key, endpoint));
      this.#report(id);
    }
    for (const id of stale) this.#drop(id, key);
  }

  /** An object is gone. */
  remove(key: string): void {
    const ids = this.#idsOf(key);
    this.#contributions.delete(key);
    for (const id of ids) this.#drop(id, key);
  }

  #idsOf(key: string): string[] {
    const endpoints = this.#contributions.get(key)?.endpoints ?? [];
    return endpoints.map(({ namespacedName }) => endpointId(namespacedName));
  }

  #drop(id: string, key: string): void {
    this.#named.get(id)?.delete(key);
    this.#report(id);
  }

  #report(id: string): void {
    const best = this.#best(id);
    const reported = this.#reported.get(id);
    if (best === undefined) {
      this.#named.delete(id);
      this.#reported.delete(id);
      if (reported !== undefined) this.#notifier.delete(reported.namespacedName);
    } else if (!equalEndpointMetadata(best, reported)) {
      this.#reported.set(id, best);
      this.#notifier.upsert(best);
    }
  }

  #best(id: string): EndpointMetadata | undefined {
    let best: EndpointMetadata | undefined;
    for (const endpoint of this.#named.get(id)?.values() ?? [])
      if (best === undefined || this.#prefers(endpoint, best)) best = endpoint;
    return best;
  }
}
