/** Something that is to run at a time. */
export interface Due {
  /** Monotonic ms. Must not change while it is in the heap, except through the heap. */
  due: number;
}

/** A binary heap of what is due next. Neither adding nor taking allocates once it has grown. */
export class DueHeap<Item extends Due> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The one due first, left where it is. */
  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Puts the first one where its new time belongs. */
  reschedule(first: Item, due: number): void {
    first.due = due;
    this.#sink(first);
  }

  /** Takes the first one out. */
  pop(): Item | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  /** Throws out what is not to be kept. */
  retain(keep: (item: Item) => boolean): void {
    const kept = this.#items.filter(keep);
    this.#items.length = 0;
    for (const item of kept) this.push(item);
  }

  /** Puts `item`, which is not in its place, at `at` or above. */
  #rise(item: Item, at: number): void {
    const items = this.#items;
    let index = at;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || parent.due <= item.due) break;
      items[index] = parent;
      index = above;
    }
    items[index] = item;
  }

  /** Puts `item` at the top or below. */
  #sink(item: Item): void {
    const items = this.#items;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      let child = items[below];
      if (child === undefined) break;
      const right = items[below + 1];
      if (right !== undefined && right.due < child.due) {
        child = right;
        below += 1;
      }
      if (child.due >= item.due) break;
      items[index] = child;
      index = below;
    }
    items[index] = item;
  }
}
