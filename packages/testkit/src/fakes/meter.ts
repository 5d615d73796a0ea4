import type {
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  InstrumentOptions,
  Meter,
  MeterLabels,
} from "@muster/core";

/**
 * A meter that keeps what it is told, as strict as real ones: a label that was not declared, a
 * counter that shrinks and one name for two kinds of instrument throw.
 */
export interface RecordingMeter extends Meter {
  /**
   * The counter or gauge, summed over all series that have the given labels; `undefined` when there
   * is no such series.
   */
  value(name: string, labels?: MeterLabels): number | undefined;
  /** What a histogram observed in the series that have the given labels, series by series. */
  observations(name: string, labels?: MeterLabels): number[];
}

/** Makes a meter for tests. */
export function createRecordingMeter(): RecordingMeter {
  const instruments = new Map<string, Instrument>();
  const instrument = (kind: Instrument["kind"], options: InstrumentOptions): Instrument => {
    const known = instruments.get(options.name) ?? new Instrument(kind, options);
    if (known.kind !== kind) throw new TypeError(`${options.name} is a ${known.kind} already`);
    instruments.set(options.name, known);
    return known;
  };
  return {
    counter(options: InstrumentOptions): Counter {
      const counter = instrument("counter", options);
      return { add: (value, labels) => counter.add(value, labels) };
    },
    gauge(options: InstrumentOptions): Gauge {
      const gauge = instrument("gauge", options);
      return {
        set: (value, labels) => gauge.set(value, labels),
        remove: (labels) => gauge.remove(labels),
      };
    },
    histogram(options: HistogramOptions): Histogram {
      const histogram = instrument("histogram", options);
      return { observe: (value, labels) => histogram.observe(value, labels) };
    },
    value(name: string, labels?: MeterLabels): number | undefined {
      const found = instruments.get(name)?.select(labels) ?? [];
      return found.length === 0 ? undefined : sum(found.flatMap((series) => series.values));
    },
    observations(name: string, labels?: MeterLabels): number[] {
      return (instruments.get(name)?.select(labels) ?? []).flatMap((series) => series.values);
    },
  };
}

interface Series {
  readonly labels: MeterLabels;
  values: number[];
}

class Instrument {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly #options: InstrumentOptions;
  readonly #series = new Map<string, Series>();

  constructor(kind: Instrument["kind"], options: InstrumentOptions) {
    this.kind = kind;
    this.#options = options;
  }

  add(value: number, labels?: MeterLabels): void {
    if (!(value >= 0)) throw new RangeError(`${this.#options.name} is a counter: ${value} added`);
    const series = this.#of(labels);
    series.values = [sum(series.values) + value];
  }

  set(value: number, labels?: MeterLabels): void {
    this.#of(labels).values = [value];
  }

  observe(value: number, labels?: MeterLabels): void {
    this.#of(labels).values.push(value);
  }

  remove(labels: MeterLabels): void {
    this.#series.delete(keyOf(labels));
  }

  select(labels: MeterLabels = {}): Series[] {
    const wanted = Object.entries(labels);
    return [...this.#series.values()].filter((series) =>
      wanted.every(([name, value]) => series.labels[name] === value),
    );
  }

  #of(labels: MeterLabels = {}): Series {
    const declared = this.#options.labels ?? [];
    const stray = Object.keys(labels).find((name) => !declared.includes(name));
    if (stray !== undefined)
      throw new TypeError(`${this.#options.name} does not declare the label ${stray}`);
    const key = keyOf(labels);
    const series = this.#series.get(key) ?? { labels: { ...labels }, values: [] };
    this.#series.set(key, series);
    return series;
  }
}

function keyOf(labels: MeterLabels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
