import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryMetadata } from "./discovery-metadata.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";

/** What a {@link MetadataSnapshot} is made of. */
export interface MetadataSnapshotInit {
  /** By instance id. */
  readonly instances: ReadonlyMap<bigint, DiscoveryMetadata>;
  /** Generation of each instance's record; Kubernetes raises it whenever the spec changes. */
  readonly generations: ReadonlyMap<bigint, number>;
  /** Grows with every published snapshot. */
  readonly sequence: number;
  /** When it was made, in ms since 1970. */
  readonly timestamp: number;
}

/** The metadata of all instances at one moment. */
export class MetadataSnapshot {
  readonly instances: ReadonlyMap<bigint, DiscoveryMetadata>;
  readonly generations: ReadonlyMap<bigint, number>;
  readonly sequence: number;
  /** In ms since 1970. */
  readonly timestamp: number;

  constructor({ instances, generations, sequence, timestamp }: MetadataSnapshotInit) {
    this.instances = instances;
    this.generations = generations;
    this.sequence = sequence;
    this.timestamp = timestamp;
    Object.freeze(this);
  }

  /** Whether any instance came, went or has another generation; nothing else counts. */
  hasChangesFrom(previous: MetadataSnapshot): boolean {
    if (this.generations.size !== previous.generations.size) return true;
    for (const [id, generation] of this.generations)
      if (previous.generations.get(id) !== generation) return true;
    return false;
  }

  /** The records of all instances that match. */
  filter(query: DiscoveryQuery): DiscoveryInstance[] {
    return [...this.instances.values()].flatMap((metadata) => metadata.filter(query));
  }
}
