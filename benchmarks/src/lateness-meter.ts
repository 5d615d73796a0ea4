import { type Histogram, type HistogramOptions, type Meter, silentMeter } from "@muster/core";

/** A meter that keeps only how late ticks were, in seconds. */
export function createLatenessMeter(): { meter: Meter; samples: number[] } {
  const samples: number[] = [];
  const record: Histogram = { observe: (value) => void samples.push(value) };
  const histogram = (options: HistogramOptions): Histogram =>
    options.name.includes("lateness") ? record : silentMeter.histogram(options);
  return { meter: { ...silentMeter, histogram }, samples };
}
