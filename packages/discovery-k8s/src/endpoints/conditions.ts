import type { DiscoveryNotifier, MusterError } from "@muster/core";

/** Says that a discovery is degraded while any of its parts has a problem. */
export class Conditions {
  readonly #notifier: DiscoveryNotifier;
  readonly #problems = new Map<string, MusterError>();

  constructor(notifier: DiscoveryNotifier) {
    this.#notifier = notifier;
  }

  /** A part has a problem now. */
  set(part: string, problem: MusterError): void {
    this.#problems.set(part, problem);
    this.#notifier.degraded(this.#first ?? problem);
  }

  /** A part has none any more. */
  clear(part: string): void {
    if (!this.#problems.delete(part)) return;
    const first = this.#first;
    if (first === undefined) this.#notifier.recovered();
    else this.#notifier.degraded(first);
  }

  get #first(): MusterError | undefined {
    return this.#problems.values().next().value;
  }
}
