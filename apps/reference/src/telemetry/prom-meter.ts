import type {
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  InstrumentOptions,
  Meter,
  MeterLabels,
} from "@muster/core";
import * as prom from "prom-client";

const noLabels: MeterLabels = Object.freeze({});

/** Core's meter on prom-client. Instruments are made once per name and live in `registry`. */
export function createPromMeter(registry: prom.Registry): Meter {
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  return {
    counter: (options) => remember(counters, options, () => counter(registry, options)),
    gauge: (options) => remember(gauges, options, () => gauge(registry, options)),
    histogram: (options) => remember(histograms, options, () => histogram(registry, options)),
  };
}

function remember<T>(known: Map<string, T>, options: InstrumentOptions, make: () => T): T {
  const existing = known.get(options.name);
  if (existing !== undefined) return existing;
  const made = make();
  known.set(options.name, made);
  return made;
}

function base(registry: prom.Registry, options: InstrumentOptions) {
  return {
    name: options.name,
    help: options.help,
    labelNames: [...(options.labels ?? [])],
    registers: [registry],
  };
}

function counter(registry: prom.Registry, options: InstrumentOptions): Counter {
  const made = new prom.Counter(base(registry, options));
  return { add: (value, labels = noLabels) => made.inc(labels, value) };
}

function gauge(registry: prom.Registry, options: InstrumentOptions): Gauge {
  const made = new prom.Gauge(base(registry, options));
  return {
    set: (value, labels = noLabels) => made.set(labels, value),
    remove: (labels) => made.remove(labels),
  };
}

function histogram(registry: prom.Registry, options: HistogramOptions): Histogram {
  const { buckets } = options;
  const made = new prom.Histogram({
    ...base(registry, options),
    ...(buckets && { buckets: [...buckets] }),
  });
  return { observe: (value, labels = noLabels) => made.observe(labels, value) };
}
