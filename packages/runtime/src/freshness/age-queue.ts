/** Something with an age, and its neighbours in the queue. */
export interface Aged<Item> {
  /** Monotonic time from which its age counts, ms. */
  readonly reference: number | undefined;
  readonly thresholds: { readonly staleAfter: number };
  older: Item | undefined;
  newer: Item | undefined;
}

/**
 * The endpoints of one source in the order of their last success, as a list within the objects: a
 * success moves one to the end, so what turns stale next is at the front and nothing is ever scanned.
 * All in it share one `staleAfter`.
 */
export class AgeQueue<Item extends Aged<Item>> {
  #oldest: Item | undefined;
  #newest: Item | undefined;
  /** The first that is not stale yet; everything older is. */
  #firstYoung: Item | undefined;

  /** The one whose last success, or first outcome, is longest ago. */
  get oldest(): Item | undefined {
    return this.#oldest;
  }

  /** Puts one at the end; its reference time must not be before that of any other. */
  moveToEnd(item: Item): void {
    if (this.#newest !== item) {
      this.remove(item);
      item.older = this.#newest;
      if (this.#newest === undefined) this.#oldest = item;
      else this.#newest.newer = item;
      this.#newest = item;
    }
    this.#firstYoung ??= item;
  }

  remove(item: Item): void {
    const { older, newer } = item;
    if (older === undefined && newer === undefined && this.#oldest !== item) return;
    if (this.#firstYoung === item) this.#firstYoung = newer;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    item.older = undefined;
    item.newer = undefined;
  }

  /** Calls back once for each that has become older than `staleAfter`; `now` is monotonic, ms. */
  sweep(now: number, onStale: (item: Item) => void): void {
    for (let item = this.#firstYoung; item !== undefined; item = this.#firstYoung) {
      const { reference, thresholds } = item;
      if (reference === undefined || now - reference <= thresholds.staleAfter) return;
      this.#firstYoung = item.newer;
      onStale(item);
    }
  }
}
