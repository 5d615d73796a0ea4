import {
  type DiscoveryNotifier,
  type EndpointMetadata,
  endpointId,
  equalEndpointMetadata,
} from "@muster/core";

/** An endpoint, as one object names it. */
export interface NamedEndpoint {
  readonly metadata: EndpointMetadata;
  /** Uid of its pod: another one is another endpoint, whatever the name. */
  readonly uid: string | undefined;
}

/**
 * Turns what objects say into what the notifier is told. Several objects may name one endpoint (a pod is
 * in two slices): the preferred one counts, among equals the one whose key comes first, and the endpoint
 * leaves with the last of them.
 */
export class EndpointRoll {
  readonly #notifier: DiscoveryNotifier;
  readonly #prefers: (a: EndpointMetadata, b: EndpointMetadata) => boolean;
  /** Ids that an object names, by its key. */
  readonly #objects = new Map<string, readonly string[]>();
  /** By endpoint id, then by key of the object that names it. */
  readonly #named = new Map<string, Map<string, NamedEndpoint>>();
  readonly #reported = new Map<string, NamedEndpoint>();

  /** @param prefers whether `a` is better than `b` for one endpoint */
  constructor(
    notifier: DiscoveryNotifier,
    prefers: (a: EndpointMetadata, b: EndpointMetadata) => boolean = () => false,
  ) {
    this.#notifier = notifier;
    this.#prefers = prefers;
  }

  /** Keys of the objects that were set and not removed. */
  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  /** An object names these now, instead of what it named before. */
  set(key: string, endpoints: readonly NamedEndpoint[]): void {
    const ids = endpoints.map(({ metadata }) => endpointId(metadata.namespacedName));
    const named = new Set(ids);
    const stale = this.#objects.get(key)?.filter((id) => !named.has(id)) ?? [];
    this.#objects.set(key, ids);
    for (const [index, id] of ids.entries()) this.#name(id, key, endpoints[index] as NamedEndpoint);
    for (const id of stale) this.#drop(id, key);
  }

  /** An object is gone. */
  remove(key: string): void {
    const ids = this.#objects.get(key) ?? [];
    this.#objects.delete(key);
    for (const id of ids) this.#drop(id, key);
  }

  #name(id: string, key: string, endpoint: NamedEndpoint): void {
    const named = this.#named.get(id) ?? new Map<string, NamedEndpoint>();
    this.#named.set(id, named.set(key, endpoint));
    this.#report(id, named);
  }

  #drop(id: string, key: string): void {
    const named = this.#named.get(id);
    if (named === undefined) return;
    named.delete(key);
    this.#report(id, named);
  }

  #report(id: string, named: ReadonlyMap<string, NamedEndpoint>): void {
    const best = this.#best(named);
    const reported = this.#reported.get(id);
    if (best === undefined) {
      this.#named.delete(id);
      this.#reported.delete(id);
      if (reported !== undefined) this.#notifier.delete(reported.metadata.namespacedName);
      return;
    }
    this.#reported.set(id, best);
    const replaced = isReplaced(reported, best);
    // nothing of a pod that was replaced may live on, such as its last metrics
    if (replaced) this.#notifier.delete(best.metadata.namespacedName);
    if (replaced || !equalEndpointMetadata(best.metadata, reported?.metadata))
      this.#notifier.upsert(best.metadata);
  }

  #best(named: ReadonlyMap<string, NamedEndpoint>): NamedEndpoint | undefined {
    let best: [key: string, endpoint: NamedEndpoint] | undefined;
    for (const [key, endpoint] of named) {
      const beats =
        best === undefined ||
        this.#prefers(endpoint.metadata, best[1].metadata) ||
        (key < best[0] && !this.#prefers(best[1].metadata, endpoint.metadata));
      if (beats) best = [key, endpoint];
    }
    return best?.[1];
  }
}

function isReplaced(before: NamedEndpoint | undefined, now: NamedEndpoint): boolean {
  return before?.uid !== undefined && now.uid !== undefined && before.uid !== now.uid;
}
