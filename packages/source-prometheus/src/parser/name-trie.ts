/** In the table: no name goes on like this, and: a name ends here. Rows are multiples of the width. */
const none = 0;
const end = 1;

/**
 * Tells from its first bytes that a name is none of those wanted: most lines of a page are dismissed
 * after looking at a handful of bytes.
 */
export class NameTrie {
  /** By byte: its column, 0 for bytes that no name has. */
  readonly #columns = new Uint8Array(256);
  /** By a node's row and a column: the row of the next node, or one of the constants above. */
  readonly #table: Uint32Array;

  /** `names`: one character per byte. */
  constructor(names: Iterable<string>) {
    const nodes: Map<number, number>[] = [new Map()];
    const ends = new Set<number>();
    // at least 2, so that no row but the first is one of the constants
    let width = 2;
    for (const name of names) {
      let node = 0;
      for (let i = 0; i < name.length; i++) {
        const byte = name.charCodeAt(i);
        const column = this.#columns[byte] || width++;
        this.#columns[byte] = column;
        let next = nodes[node]?.get(column);
        if (next === undefined) {
          next = nodes.push(new Map()) - 1;
          nodes[node]?.set(column, next);
        }
        node = next;
      }
      ends.add(node);
    }
    this.#table = new Uint32Array(nodes.length * width);
    for (const [node, edges] of nodes.entries())
      for (const [column, next] of edges)
        this.#table[node * width + column] = ends.has(next) ? end : next * width;
  }

  /** Whether one of the names, or a longer one that begins with it, is at `start`. */
  prefixAt(bytes: Uint8Array, start: number): boolean {
    const columns = this.#columns;
    const table = this.#table;
    let row = 0;
    for (let at = start; at < bytes.length; at++) {
      row = table[row + (columns[bytes[at] as number] as number)] as number;
      if (row <= end) return row !== none;
    }
    return false;
  }
}
