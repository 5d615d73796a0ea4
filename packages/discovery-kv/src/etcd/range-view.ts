import { checkRoom } from "../record-limit.ts";
import type { KeyRange } from "./key-range.ts";
import type { RangeEntry, RangeSnapshot } from "./range-reader.ts";
import { fromWire, type Header, type KeyValue, toNumber, type WatchedEvent } from "./wire.ts";

/** A change of the view. */
export type ViewChange =
  | { readonly type: "put"; readonly key: string; readonly value: string }
  | { readonly type: "delete"; readonly key: string };

/** A range as a watch has told it so far. */
export class RangeView {
  readonly range: KeyRange;
  #entries: Map<string, RangeEntry>;
  #header: Header;
  #revision: number;

  constructor(range: KeyRange, snapshot: RangeSnapshot) {
    this.range = range;
    this.#entries = snapshot.entries;
    this.#header = snapshot.header;
    this.#revision = snapshot.revision;
  }

  /** Everything up to this revision is in. */
  get revision(): number {
    return this.#revision;
  }

  /** Keys of the range, those that are not meant included. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether a record is known as it is. */
  holds(kv: KeyValue): boolean {
    const known = this.#entries.get(this.range.relative(fromWire(kv.key)));
    return known?.revision === toNumber(kv.mod_revision) && known.value === fromWire(kv.value);
  }

  /** A copy of what is meant. */
  values(): ReadonlyMap<string, string> {
    const values = new Map<string, string>();
    for (const [key, { value }] of this.#entries)
      if (this.range.includes(key)) values.set(key, value);
    return values;
  }

  /** Starts again from what was read. */
  replace({ entries, header, revision }: RangeSnapshot): void {
    this.#entries = entries;
    this.#header = header;
    this.#revision = revision;
  }

  /** Everything up to `revision` is in, though nothing was told: there was nothing. */
  advance(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
  }

  /** Whether an answer can be of the same history: same cluster, and not further back. */
  continues(header: Header | undefined): boolean {
    return (
      header?.cluster_id === this.#header.cluster_id &&
      toNumber(header?.raft_term) >= toNumber(this.#header.raft_term) &&
      toNumber(header?.revision) >= this.#revision
    );
  }

  /**
   * Takes an event in; undefined when it changes nothing that is meant.
   *
   * @throws MusterError STORE_TOO_LARGE, STORE_RESPONSE
   */
  apply({ type, kv }: WatchedEvent): ViewChange | undefined {
    if (kv === undefined) return undefined;
    const key = this.range.relative(fromWire(kv.key));
    const revision = toNumber(kv.mod_revision);
    const known = this.#entries.get(key);
    // told twice: a fragment of a revision that is told again
    if (known !== undefined && known.revision >= revision) return undefined;
    if (type === "DELETE") {
      const was = this.#entries.delete(key);
      return was && this.range.includes(key) ? { type: "delete", key } : undefined;
    }
    if (known === undefined) checkRoom(this.#entries.size, "in the watched range");
    const value = fromWire(kv.value);
    this.#entries.set(key, { value, revision });
    return this.range.includes(key) ? { type: "put", key, value } : undefined;
  }
}
