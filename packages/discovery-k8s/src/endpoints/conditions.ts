import type { DiscoveryNotifier, MusterError } from "@muster/core";

/** Says that a discovery is degraded while any of its parts has a problem. */
export class Conditions {
  readonly #notifier: DiscoveryNotifier;
  readonly #problems = new Map<string, MusterError>();

  constructor(notifier: DiscoveryNotifier) {
    this.#notifier = notifier;
  }

  /** What is wrong with a part now; undefined: nothing any more. */
  set(part: string, problem: MusterError | undefined): void {
    if (problem !== undefined) this.#problems.set(part, problem);
    else if (!this.#problems.delete(part)) return;
    const first = this.#problems.values().next().value;
    if (first === undefined) this.#notifier.recovered();
    else this.#notifier.degraded(first);
  }
}
