import type { Measure } from "../engine/measures.ts";
import type { LoadView } from "../engine/totals.ts";
import type { Labels } from "./labels.ts";

/** Whether a family has series for each rank or for the whole server. */
export type Scope = "rank" | "server";

/** A series with one value. */
export interface ScalarSeries {
  /** Beside those of the scope. */
  readonly labels?: Labels;
  readonly read: (load: LoadView) => number;
}

/** A series of a histogram, fed by one measure; without one it stays at zero. */
export interface HistogramSeries {
  readonly labels?: Labels;
  readonly measure?: Measure | undefined;
}

/** A family whose series are known beforehand. */
export type SeriesFamily =
  | {
      readonly kind: "scalar";
      readonly name: string;
      readonly type: "gauge" | "counter";
      readonly help: string;
      readonly scope: Scope;
      readonly series: readonly ScalarSeries[];
    }
  | {
      readonly kind: "histogram";
      readonly name: string;
      readonly help: string;
      readonly scope: Scope;
      readonly bounds: readonly number[];
      readonly series: readonly HistogramSeries[];
    };

/** A family that writes its own lines. */
export interface CustomFamily {
  readonly kind: "custom";
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram" | "summary";
  readonly help: string;
  /** The sample lines, each ended by a line feed; `undefined`: the family is absent. */
  readonly lines: () => string | undefined;
}

/** One family of a metrics page. */
export type Family = SeriesFamily | CustomFamily;

type Read = ScalarSeries["read"];

/** Short forms for the tables of one scope. */
export interface FamilyBuilders {
  /** One series, or several when given. */
  gauge(name: string, help: string, series: Read | number | readonly ScalarSeries[]): Family;
  counter(name: string, help: string, series: Read | number | readonly ScalarSeries[]): Family;
  histogram(
    name: string,
    help: string,
    options: {
      readonly bounds: readonly number[];
      readonly series: Measure | undefined | readonly HistogramSeries[];
    },
  ): Family;
}

/** Builders of families of a scope. */
export function familyBuilders(scope: Scope, prefix: string): FamilyBuilders {
  const scalar =
    (type: "gauge" | "counter") =>
    (name: string, help: string, series: Read | number | readonly ScalarSeries[]): Family => ({
      kind: "scalar",
      name: prefix + name,
      type,
      help,
      scope,
      series: scalarSeries(series),
    });
  return {
    gauge: scalar("gauge"),
    counter: scalar("counter"),
    histogram: (name, help, { bounds, series }) => ({
      kind: "histogram",
      name: prefix + name,
      help,
      scope,
      bounds,
      series: typeof series === "object" ? series : [{ measure: series }],
    }),
  };
}

function scalarSeries(series: Read | number | readonly ScalarSeries[]): readonly ScalarSeries[] {
  if (typeof series === "object") return series;
  return [{ read: typeof series === "number" ? () => series : series }];
}
