import { numberText } from "./number-text.ts";

/** Order of a histogram's lines: a plain registry ends with the sum, a multi-process one begins with it. */
export type HistogramOrder = "sum-last" | "sum-first";

/** A histogram's series, which keeps its rendered text until something is observed. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;
  #text: string | undefined;

  /** Bounds ascending, without the last, +Inf. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number, times = 1): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] as number)) index++;
    (this.#counts[index] as number) += times;
    this.#sum += value * times;
    this.#text = undefined;
  }

  /** The lines, made of the prefixes up to the value; one for each bucket, +Inf included. */
  text(prefixes: HistogramPrefixes, order: HistogramOrder): string {
    if (this.#text !== undefined) return this.#text;
    let total = 0;
    let buckets = "";
    for (let index = 0; index < this.#counts.length; index++) {
      total += this.#counts[index] as number;
      buckets += `${prefixes.buckets[index]}${numberText(total)}\n`;
    }
    const count = `${prefixes.count}${numberText(total)}\n`;
    const sum = `${prefixes.sum}${numberText(this.#sum)}\n`;
    this.#text = order === "sum-first" ? sum + buckets + count : buckets + count + sum;
    return this.#text;
  }
}

/** Everything of a histogram's lines but the values. */
export interface HistogramPrefixes {
  readonly buckets: readonly string[];
  readonly count: string;
  readonly sum: string;
}
