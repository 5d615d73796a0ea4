import type { Counter, Logger, MusterError, PluginContext } from "@muster/core";

/** Objects whose problem has been told already are remembered up to this many. */
const maxRemembered = 10_000;

/** Counts objects that cannot become endpoints, and tells of each problem once. */
export class InvalidObjects {
  readonly #logger: Logger;
  readonly #counter: Counter;
  readonly #told = new Map<string, string>();

  constructor({ logger, metrics }: PluginContext) {
    this.#logger = logger;
    this.#counter = metrics.counter({
      name: "muster_kubernetes_invalid_objects_total",
      help: "Kubernetes objects that could not become endpoints and were left out.",
    });
  }

  report(key: string, { code, message }: MusterError): void {
    this.#counter.add(1);
    if (this.#told.get(key) === message) return;
    if (this.#told.size >= maxRemembered) this.#told.clear();
    this.#told.set(key, message);
    this.#logger.warn({ object: key, code, error: message }, "a Kubernetes object is left out");
  }
}
