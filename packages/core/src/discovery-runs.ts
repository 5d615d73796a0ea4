import { MusterError } from "./errors.ts";
import type { TypedName } from "./names.ts";

/** The runs of one discovery, one at a time; what its `start` and `ready` are made of. */
export interface DiscoveryRuns {
  /** Resolves when the first pass of the present run is complete, or else of the next; see `EndpointDiscovery.ready`. */
  ready(): Promise<void>;
  /**
   * Does `work` as one run; it calls `onReady` when its first pass is complete.
   *
   * @throws MusterError DISCOVERY_FAILED while another run is under way, and what `work` throws
   */
  run(work: (onReady: () => void) => Promise<void>): Promise<void>;
}

/** Keeps the runs of a discovery apart: a second start while one is under way fails, a later one is anew. */
export function createDiscoveryRuns(plugin: TypedName): DiscoveryRuns {
  let pass = firstPass();
  let running = false;
  return {
    ready: () => pass.complete,
    async run(work) {
      if (running)
        throw new MusterError("DISCOVERY_FAILED", "already started; abort that start first", {
          plugin,
        });
      running = true;
      try {
        await work(pass.onReady);
      } finally {
        running = false;
        pass = firstPass();
      }
    },
  };
}

function firstPass(): { readonly complete: Promise<void>; readonly onReady: () => void } {
  let onReady: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  return { complete, onReady };
}
