/** One figure of a benchmark: the median of several samples and how far they spread. */
export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly samples: number;
}

/** Median, least and greatest of the samples. */
export function figure(samples: readonly number[]): Figure {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), min: at(0), max: at(1), samples: sorted.length };
}

/** Runs `work` for about `ms` in batches and gives microseconds per call, one sample a batch. */
export function timePerCall(work: () => unknown, ms: number, batches = 15): Figure {
  const budget = ms / batches;
  let calls = 1;
  let took = time(work, calls);
  // grows the batch until it fills its share of the budget; warms the code up on the way
  while (took < budget / 2) {
    calls = Math.ceil(calls * Math.max(1.5, Math.min(10, budget / Math.max(took, 0.01))));
    took = time(work, calls);
  }
  const samples: number[] = [];
  for (let batch = 0; batch < batches; batch++) samples.push((time(work, calls) / calls) * 1000);
  return figure(samples);
}

function time(work: () => unknown, calls: number): number {
  const start = performance.now();
  for (let call = 0; call < calls; call++) work();
  return performance.now() - start;
}

/** The value below which `share` (0..1) of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
