import type { MusterError } from "@muster/core";

/**
 * Whether a resource has been followed without a break. An interruption is over when the resource is
 * watched again and the list after it has been read, in whichever order the two come.
 */
export class Continuity {
  #problem: MusterError | undefined;
  #read = false;
  #watched = false;

  /** Why what is known may be out of date; undefined: it is not. */
  get problem(): MusterError | undefined {
    return this.#problem;
  }

  /** As the reflector says: interrupted, or watched again. */
  interruption(problem: MusterError | undefined): void {
    if (problem === undefined) this.#watched = true;
    else {
      this.#problem = problem;
      this.#read = false;
      this.#watched = false;
    }
    this.#settle();
  }

  /** A complete list has been read. */
  synced(): void {
    this.#read = true;
    this.#settle();
  }

  #settle(): void {
    if (this.#read && this.#watched) this.#problem = undefined;
  }
}
