import {
  type DiscoveryNotifier,
  type EndpointMetadata,
  endpointId,
  equalEndpointMetadata,
} from "@muster/core";
import type { EndpointsFile } from "./endpoints-file.ts";

/** What applying a file changed. */
export interface RollChange {
  readonly upserted: number;
  readonly deleted: number;
}

/** The endpoints that were reported and not taken back: what the last good content said. */
export class Roll {
  readonly #known = new Map<string, EndpointMetadata>();

  get size(): number {
    return this.#known.size;
  }

  /**
   * The endpoints that applying this file would delete. An entry with problems keeps its last good
   * form; while there is one whose name cannot be read nothing is deleted, since it may be any.
   */
  removals({ endpoints, invalid, unnamed }: EndpointsFile): readonly EndpointMetadata[] {
    if (unnamed > 0) return [];
    const gone = [...this.#known].filter(([id]) => !endpoints.has(id) && !invalid.has(id));
    return gone.map(([, metadata]) => metadata);
  }

  /** Reports the difference. Deletes come first, so that an address may move to another name. */
  apply(file: EndpointsFile, notifier: Pick<DiscoveryNotifier, "upsert" | "delete">): RollChange {
    const gone = this.removals(file);
    for (const { namespacedName: key } of gone) {
      notifier.delete(key);
      this.#known.delete(endpointId(key));
    }
    let upserted = 0;
    for (const [id, metadata] of file.endpoints) {
      if (equalEndpointMetadata(this.#known.get(id), metadata)) continue;
      notifier.upsert(metadata);
      this.#known.set(id, metadata);
      upserted++;
    }
    return { upserted, deleted: gone.length };
  }
}
