import type { LoadView } from "./totals.ts";

/** The statistics of an iteration, in trtllm-serve's shape, as far as they are simulated. */
export function iterationStats(
  load: LoadView,
  options: { readonly blockSize: number; readonly maxRunning: number },
): object {
  return {
    iter: load.totals.steps,
    numActiveRequests: load.running,
    numQueuedRequests: load.waiting,
    numCompletedRequests: load.totals.stop + load.totals.length,
    maxNumActiveRequests: options.maxRunning,
    inflightBatchingStats: {
      numContextRequests: load.prefilling,
      numGenRequests: load.running - load.prefilling,
      numPausedRequests: 0,
      numScheduledRequests: load.running,
    },
    kvCacheStats: {
      maxNumBlocks: load.numBlocks,
      freeNumBlocks: load.numBlocks - load.usedBlocks,
      usedNumBlocks: load.usedBlocks,
      tokensPerBlock: options.blockSize,
    },
  };
}
