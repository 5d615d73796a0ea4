/** Label values of one series. */
export type MeterLabels = Readonly<Record<string, string>>;

/** What an instrument is called and which labels it takes. Names follow Prometheus. */
export interface InstrumentOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** {@link InstrumentOptions} with the upper bounds of a histogram's buckets, ascending. */
export interface HistogramOptions extends InstrumentOptions {
  readonly buckets?: readonly number[];
}

/** A value that only grows. */
export interface Counter {
  add(value: number, labels?: MeterLabels): void;
}

/** A value that goes up and down. */
export interface Gauge {
  set(value: number, labels?: MeterLabels): void;
  remove(labels: MeterLabels): void;
}

/** A distribution. */
export interface Histogram {
  observe(value: number, labels?: MeterLabels): void;
}

/**
 * The small interface through which plugins count and measure; prom-client or OpenTelemetry are
 * wired behind it. Asking twice for one name gives the same instrument.
 */
export interface Meter {
  counter(options: InstrumentOptions): Counter;
  gauge(options: InstrumentOptions): Gauge;
  histogram(options: HistogramOptions): Histogram;
}

const nothing = (): void => undefined;
const silentCounter: Counter = Object.freeze({ add: nothing });
const silentGauge: Gauge = Object.freeze({ set: nothing, remove: nothing });
const silentHistogram: Histogram = Object.freeze({ observe: nothing });

/** Measures nothing: the default where no meter is given. */
export const silentMeter: Meter = Object.freeze({
  counter: (): Counter => silentCounter,
  gauge: (): Gauge => silentGauge,
  histogram: (): Histogram => silentHistogram,
});
