import type { Measure, Observe } from "../engine/measures.ts";
import { combineLoads, type LoadView } from "../engine/totals.ts";
import type { CustomFamily, Family, SeriesFamily } from "./family.ts";
import { Histogram, type HistogramOrder, type HistogramPrefixes } from "./histogram.ts";
import { type Labels, labelsText } from "./labels.ts";
import { numberText } from "./number-text.ts";

/** What a page is made of. */
export interface PageOptions {
  readonly families: readonly Family[];
  readonly ranks: number;
  readonly order: HistogramOrder;
  /** Labels of a rank's series, or the server's (`undefined`). */
  readonly labels: (rank: number | undefined, type: "gauge" | "counter" | "histogram") => Labels;
}

/** A metrics page: text that stays is made once, what moves is filled in for each rendering. */
export interface Page {
  /** The page for the ranks' present state; with `nan`, every gauge is NaN. */
  render(ranks: readonly LoadView[], options?: { readonly nan?: boolean }): string;
  /** Where each rank's observations go. */
  readonly observers: readonly Observe[];
}

interface Rendering {
  readonly ranks: readonly LoadView[];
  readonly server: () => LoadView;
  readonly nan: boolean;
}

type Piece = string | ((rendering: Rendering) => string);

/** Compiles the families into a page. */
export function createPage(options: PageOptions): Page {
  const compiler = new Compiler(options);
  for (const family of options.families) compiler.add(family);
  const { pieces, sinks } = compiler;
  return {
    observers: sinks.map((sink) => (measure, value, times) => {
      const targets = sink.get(measure);
      if (targets !== undefined) for (const target of targets) target.observe(value, times);
    }),
    render(ranks, { nan = false } = {}) {
      let server: LoadView | undefined;
      const rendering: Rendering = {
        ranks,
        nan,
        server: () => {
          server ??= combineLoads(ranks);
          return server;
        },
      };
      let text = "";
      for (const piece of pieces) text += typeof piece === "string" ? piece : piece(rendering);
      return text;
    },
  };
}

class Compiler {
  readonly pieces: Piece[] = [];
  /** For each rank, the histograms that a measure feeds. */
  readonly sinks: readonly Map<Measure, Histogram[]>[];
  readonly #options: PageOptions;

  constructor(options: PageOptions) {
    this.#options = options;
    this.sinks = Array.from({ length: options.ranks }, () => new Map());
  }

  add(family: Family): void {
    if (family.kind === "custom") {
      this.pieces.push(customPiece(family));
      return;
    }
    this.#text(
      headerText(family.name, family.kind === "scalar" ? family.type : "histogram", family.help),
    );
    const ranks = family.scope === "rank" ? [...this.sinks.keys()] : [undefined];
    for (const rank of ranks) this.#addSeries(family, rank);
  }

  #addSeries(family: SeriesFamily, rank: number | undefined): void {
    const type = family.kind === "scalar" ? family.type : "histogram";
    const base = this.#options.labels(rank, type);
    if (family.kind === "scalar")
      for (const { labels, read } of family.series) {
        const prefix = `${family.name}${labelsText({ ...base, ...labels })} `;
        this.pieces.push(scalarPiece({ prefix, read, rank, gauge: type === "gauge" }));
      }
    else
      for (const { labels, measure } of family.series) {
        const histogram = new Histogram(family.bounds);
        const prefixes = histogramPrefixes(family.name, { ...base, ...labels }, family.bounds);
        this.pieces.push(() => histogram.text(prefixes, this.#options.order));
        if (measure !== undefined) this.#feed(measure, histogram, rank);
      }
  }

  #feed(measure: Measure, histogram: Histogram, rank: number | undefined): void {
    for (const [index, sink] of this.sinks.entries()) {
      if (rank !== undefined && rank !== index) continue;
      const targets = sink.get(measure);
      if (targets === undefined) sink.set(measure, [histogram]);
      else targets.push(histogram);
    }
  }

  #text(text: string): void {
    const last = this.pieces.at(-1);
    if (typeof last === "string") this.pieces[this.pieces.length - 1] = last + text;
    else this.pieces.push(text);
  }
}

/** The HELP and TYPE lines. */
function headerText(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** Label text for each bucket, the count and the sum. */
export function histogramPrefixes(
  name: string,
  labels: Labels,
  bounds: readonly number[],
): HistogramPrefixes {
  const bucket = (bound: number): string =>
    `${name}_bucket${labelsText({ ...labels, le: numberText(bound) })} `;
  return {
    buckets: [...bounds, Number.POSITIVE_INFINITY].map(bucket),
    count: `${name}_count${labelsText(labels)} `,
    sum: `${name}_sum${labelsText(labels)} `,
  };
}

function scalarPiece(series: {
  readonly prefix: string;
  readonly read: (load: LoadView) => number;
  readonly rank: number | undefined;
  readonly gauge: boolean;
}): Piece {
  const { prefix, read, rank, gauge } = series;
  let last: number | undefined;
  let line = "";
  return ({ ranks, server, nan }) => {
    if (nan && gauge) return `${prefix}NaN\n`;
    const load = rank === undefined ? server() : ranks[rank];
    const value = load === undefined ? Number.NaN : read(load);
    if (value !== last) {
      last = value;
      line = `${prefix}${numberText(value)}\n`;
    }
    return line;
  };
}

function customPiece({ name, type, help, lines }: CustomFamily): Piece {
  const header = headerText(name, type, help);
  return ({ nan }) => {
    const text = lines();
    if (text === undefined) return "";
    const shown = nan && type === "gauge" ? text.replace(/ [^ ]+$/gm, " NaN") : text;
    return header + shown;
  };
}
