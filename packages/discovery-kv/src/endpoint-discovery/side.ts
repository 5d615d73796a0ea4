import type { Clock, MusterError } from "@muster/core";
import type { Discovery, DiscoveryQuery, DiscoveryStream } from "@muster/core/plane";
import type { Roll } from "./roll.ts";

/**
 * How long what was missed may take to arrive, ms. A store that can go on exactly where it was sends
 * no `Resync` after an interruption, and nothing at all where nothing was missed.
 */
const settleTime = 500;

/** What a {@link Side} needs. */
export interface SideOptions {
  readonly type: "Endpoint" | "Model";
  readonly query: DiscoveryQuery;
  readonly roll: Roll;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The store cannot be followed, for this reason. */
  readonly onLost: (reason: MusterError) => void;
  /** All that there is has been taken over. */
  readonly onCurrent: () => void;
}

/** Follows one kind of records into the roll. */
export class Side {
  readonly #options: SideOptions;
  /** `new`: nothing is known yet. `lost`: interrupted. `settling`: followed again. */
  #state: "new" | "current" | "lost" | "settling" = "new";
  /** Whether the roll was given everything once. */
  #listed = false;
  #cancel: (() => void) | undefined;

  constructor(options: SideOptions) {
    this.#options = options;
  }

  /** Whether the roll has all that there is. */
  get current(): boolean {
    return this.#state === "current";
  }

  /** Establishes the watch; what it reports is taken over by {@link Side.follow}. */
  watch(plane: Discovery): Promise<DiscoveryStream> {
    const { query, signal } = this.#options;
    return plane.listAndWatch(query, { signal, onInterruption: (it) => this.#interrupted(it) });
  }

  /** Resolves when the stream ends. */
  async follow(stream: DiscoveryStream): Promise<void> {
    const { type, roll, signal } = this.#options;
    try {
      for await (const event of stream) {
        if (signal.aborted) return;
        if (event.type === "Added") roll.put(event.instance);
        else if (event.type === "Removed") roll.remove(event.id);
        else if (event.type === "Resync") {
          roll.replace(type, event.instances);
          this.#listed = true;
          if (this.#state !== "lost") this.#becomeCurrent();
        }
      }
    } finally {
      this.#cancel?.();
    }
  }

  #interrupted(problem: MusterError | undefined): void {
    const { clock, signal, onLost } = this.#options;
    if (signal.aborted) return;
    this.#cancel?.();
    if (problem !== undefined) {
      this.#state = "lost";
      onLost(problem);
    } else if (this.#state === "lost") {
      this.#state = "settling";
      this.#cancel = clock.schedule(() => {
        if (this.#listed) this.#becomeCurrent();
      }, settleTime);
    }
  }

  #becomeCurrent(): void {
    this.#cancel?.();
    if (this.#state === "current") return;
    this.#state = "current";
    this.#options.onCurrent();
  }
}
