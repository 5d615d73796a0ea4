/** A deleted endpoint: in which revisions it lived. */
export interface Tombstone {
  readonly id: string;
  readonly created: number;
  readonly deleted: number;
}

/**
 * The latest deletions, oldest first, in a ring: with the revision each living endpoint carries, all
 * that resuming a feed takes.
 */
export class Tombstones {
  readonly #capacity: number;
  readonly #ring: Tombstone[] = [];
  #next = 0;
  #floor = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The earliest revision after which every deletion is still known. */
  get floor(): number {
    return this.#floor;
  }

  add(tombstone: Tombstone): void {
    const forgotten = this.#ring[this.#next];
    if (forgotten !== undefined) this.#floor = forgotten.deleted;
    this.#ring[this.#next] = tombstone;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Deletions after revision `n` of endpoints that were there at `n`, oldest first. */
  after(n: number): Tombstone[] {
    const ordered = [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
    return ordered.filter(({ created, deleted }) => deleted > n && created <= n);
  }
}
