import type { MusterError } from "@muster/core";
import type { Discovery, DiscoveryQuery, DiscoveryStream } from "@muster/core/plane";
import type { Roll } from "./roll.ts";

/** What a {@link Side} needs. */
export interface SideOptions {
  readonly type: "Endpoint" | "Model";
  readonly query: DiscoveryQuery;
  readonly roll: Roll;
  readonly signal: AbortSignal;
  /** The backend cannot be followed, for this reason. */
  readonly onLost: (reason: MusterError) => void;
  /** All that there is has been taken over. */
  readonly onCurrent: () => void;
}

/** Follows one kind of records into the roll. */
export class Side {
  readonly #options: SideOptions;
  #lost = false;
  #current = false;

  constructor(options: SideOptions) {
    this.#options = options;
  }

  /** Whether the roll has all that there is. */
  get current(): boolean {
    return this.#current;
  }

  /** Establishes the watch; what it reports is taken over by {@link Side.follow}. */
  watch(plane: Discovery): Promise<DiscoveryStream> {
    const { query, signal } = this.#options;
    return plane.listAndWatch(query, { signal, onInterruption: (it) => this.#interrupted(it) });
  }

  /** Resolves when the stream ends. */
  async follow(stream: DiscoveryStream): Promise<void> {
    const { type, roll, signal, onCurrent } = this.#options;
    for await (const event of stream) {
      if (signal.aborted) return;
      if (event.type === "Added") roll.put(event.instance);
      else if (event.type === "Removed") roll.remove(event.id);
      else if (event.type === "Resync") {
        roll.replace(type, event.instances);
        if (this.#lost || this.#current) continue;
        this.#current = true;
        onCurrent();
      }
    }
  }

  #interrupted(problem: MusterError | undefined): void {
    if (this.#options.signal.aborted) return;
    this.#lost = problem !== undefined;
    if (problem === undefined) return;
    this.#current = false;
    this.#options.onLost(problem);
  }
}
