import { isMusterError } from "@muster/core";
import type { DiscoveryMetadata } from "@muster/core/plane";
import type { KubeObject } from "../reflector/kube-object.ts";
import { isObject, readData } from "./read-data.ts";
import type { Problem, SkippedEntries } from "./skipped-entries.ts";

/** A worker's object, as far as it matters. */
export interface WorkerRecord {
  readonly uid: string | undefined;
  /** Of the pod it belongs to. */
  readonly ownerUid: string | undefined;
  /** Raised by one whenever the data changes. */
  readonly generation: number | undefined;
  /** Undefined when it was never valid. */
  readonly metadata: DiscoveryMetadata | undefined;
}

/** The objects of all workers, by name. */
export class MetadataTable {
  readonly #records = new Map<string, WorkerRecord>();
  readonly #skipped: SkippedEntries;

  constructor(skipped: SkippedEntries) {
    this.#skipped = skipped;
  }

  get(name: string): WorkerRecord | undefined {
    return this.#records.get(name);
  }

  /**
   * An object is there. While its data is not valid the last valid data of the same object of the same
   * pod counts (ai-dynamo/dynamo#9413).
   */
  set({ metadata: { name, uid, generation, ownerReferences }, spec }: KubeObject): void {
    const ownerUid = podUidOf(ownerReferences);
    const last = this.#records.get(name);
    const isSame = last !== undefined && last.uid === uid && last.ownerUid === ownerUid;
    const problems: Problem[] = [];
    const read = readOr(spec, problems);
    this.#skipped.report(name, problems);
    this.#records.set(name, {
      uid,
      ownerUid,
      generation: typeof generation === "number" ? generation : undefined,
      metadata: read ?? (isSame ? last.metadata : undefined),
    });
  }

  delete(name: string): void {
    this.#records.delete(name);
    this.#skipped.report(name, []);
  }
}

function readOr(spec: unknown, problems: Problem[]): DiscoveryMetadata | undefined {
  try {
    return readData(spec, ({ map, key, problem }) => {
      problems.push({ place: `${map}/${key}`, problem });
    });
  } catch (error) {
    if (!isMusterError(error)) throw error;
    problems.push({ place: "", problem: error });
    return undefined;
  }
}

function podUidOf(owners: unknown): string | undefined {
  if (!Array.isArray(owners)) return undefined;
  const pod = owners.find((owner) => isObject(owner) && owner.kind === "Pod");
  return typeof pod?.uid === "string" ? pod.uid : undefined;
}
