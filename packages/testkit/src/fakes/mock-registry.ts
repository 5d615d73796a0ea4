import type { DiscoveryFeed, DiscoveryInstance, DiscoveryInstanceId } from "@muster/core/plane";

/** What all mock workers share: the records, and who watches them. */
export interface SharedMockRegistry {
  /** What is registered, by the key of its id, in order of registration. */
  readonly instances: ReadonlyMap<string, DiscoveryInstance>;
  /** An id that no other worker got from here: 1, 2, 3… */
  nextInstanceId(): bigint;
  /** Sets a record, as if some worker did; no rule is checked. */
  put(instance: DiscoveryInstance): void;
  /**
   * Removes a record, as if some worker did.
   *
   * @returns whether it was there
   */
  remove(id: DiscoveryInstanceId): boolean;
  /** Gives a stream all there is, then every change; the returned function ends that. */
  follow(feed: DiscoveryFeed): () => void;
}

/** Makes a registry without records. */
export function createSharedMockRegistry(): SharedMockRegistry {
  return new MockRegistry();
}

class MockRegistry implements SharedMockRegistry {
  readonly instances: Map<string, DiscoveryInstance> = new Map();
  readonly #feeds = new Set<DiscoveryFeed>();
  #lastId = 0n;

  nextInstanceId(): bigint {
    return ++this.#lastId;
  }

  put(instance: DiscoveryInstance): void {
    this.instances.set(instance.id().key, instance);
    for (const feed of this.#feeds) feed.put(instance);
  }

  remove(id: DiscoveryInstanceId): boolean {
    const removed = this.instances.delete(id.key);
    if (removed) for (const feed of this.#feeds) feed.remove(id);
    return removed;
  }

  follow(feed: DiscoveryFeed): () => void {
    feed.replace(this.instances.values());
    this.#feeds.add(feed);
    return () => {
      this.#feeds.delete(feed);
    };
  }
}
