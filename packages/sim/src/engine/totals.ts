/** What only ever grows, until the server restarts. */
export interface Totals {
  requests: number;
  promptTokens: number;
  /** Of the prompt tokens, those found in the prefix cache. */
  cachedTokens: number;
  /** Tokens computed in prefill, also again after a preemption. */
  computedTokens: number;
  generatedTokens: number;
  preemptions: number;
  steps: number;
  stop: number;
  length: number;
  abort: number;
  error: number;
}

/** All zero. */
export function createTotals(): Totals {
  return {
    requests: 0,
    promptTokens: 0,
    cachedTokens: 0,
    computedTokens: 0,
    generatedTokens: 0,
    preemptions: 0,
    steps: 0,
    stop: 0,
    length: 0,
    abort: 0,
    error: 0,
  };
}

/** What a rank, or a server over all its ranks, is doing at the moment. */
export interface LoadView {
  readonly running: number;
  readonly waiting: number;
  /** Of the waiting ones, those held back by the number of adapters rather than by room. */
  readonly deferred: number;
  /** Of the running ones, those still in prefill. */
  readonly prefilling: number;
  readonly usedBlocks: number;
  readonly numBlocks: number;
  /** Tokens held in the KV cache. */
  readonly usedTokens: number;
  /** 0..1. */
  readonly kvUsage: number;
  /** Generated tokens per second in the last step; 0 when idle. */
  readonly throughput: number;
  readonly totals: Readonly<Totals>;
}

/** Several ranks as one: counts are added, usage is of all blocks together. */
export function combineLoads(loads: readonly LoadView[]): LoadView {
  const totals = createTotals();
  const sum = (read: (load: LoadView) => number): number =>
    loads.reduce((total, load) => total + read(load), 0);
  for (const key of Object.keys(totals) as (keyof Totals)[])
    totals[key] = sum((load) => load.totals[key]);
  const usedBlocks = sum((load) => load.usedBlocks);
  const numBlocks = sum((load) => load.numBlocks);
  return {
    running: sum((load) => load.running),
    waiting: sum((load) => load.waiting),
    deferred: sum((load) => load.deferred),
    prefilling: sum((load) => load.prefilling),
    usedBlocks,
    numBlocks,
    usedTokens: sum((load) => load.usedTokens),
    kvUsage: usedBlocks / numBlocks,
    throughput: sum((load) => load.throughput),
    totals,
  };
}
