import type { Clock, FollowState } from "@muster/core";
import type { Reflector } from "./reflector.ts";

/** The reflectors that run for one plugin, for its status. */
export class RunningReflectors {
  readonly #clock: Clock;
  readonly #running = new Set<Pick<Reflector, "what" | "state">>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a reflector in, until the returned is called. */
  add(reflector: Pick<Reflector, "what" | "state">): () => void {
    this.#running.add(reflector);
    return () => this.#running.delete(reflector);
  }

  states(): FollowState[] {
    return [...this.#running].map(({ what, state }) => ({
      what,
      // the clock of a machine may be set back
      syncAge:
        state.lastSync === undefined ? undefined : Math.max(0, this.#clock.now() - state.lastSync),
      revision: state.resourceVersion,
      restarts: state.restarts,
      errors: state.errors,
    }));
  }
}
