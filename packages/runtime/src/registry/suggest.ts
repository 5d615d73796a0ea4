/** Words longer than this are not compared: the cost grows with the square of the length. */
const longestWord = 64;

/** Options of {@link suggest}. */
export interface SuggestOptions {
  /** Letters that may differ; default: a third of them, at least one. */
  readonly most?: number | undefined;
}

/**
 * The candidate that `word` was most likely meant to be, or `undefined` when none is near. The first
 * of equally near ones wins.
 */
export function suggest(
  word: string,
  candidates: Iterable<string>,
  options: SuggestOptions = {},
): string | undefined {
  if (word.length > longestWord) return undefined;
  let best: string | undefined;
  let least = (options.most ?? Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of candidates) {
    if (candidate === word || candidate.length > longestWord) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** ` (did you mean "x"?)`, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = suggest(word, candidates);
  return near === undefined ? "" : ` (did you mean "${near}"?)`;
}

/** Letters to insert, delete, replace or swap with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const options = [at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + same];
      if (swapped) options.push(at(before, j - 2) + 1);
      row.push(Math.min(...options));
    }
    [before, previous] = [previous, row];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
