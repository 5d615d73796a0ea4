import type { Gauge, Logger, MusterError, PluginContext, TypedName } from "@muster/core";

/** Knows which objects hold something that cannot be used, and tells of each thing once. */
export class InvalidObjects {
  readonly #logger: Logger;
  readonly #gauge: Gauge;
  readonly #labels: { readonly discovery: string };
  /** By object: what was told of it and is still so. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor({ logger, metrics, typedName }: PluginContext & { readonly typedName: TypedName }) {
    this.#logger = logger;
    this.#labels = { discovery: typedName.name };
    this.#gauge = metrics.gauge({
      name: "muster_discovery_k8s_invalid_objects",
      help: "Kubernetes objects that hold something unusable, which is left out.",
      labels: ["discovery"],
    });
    this.#gauge.set(0, this.#labels);
  }

  /** All that is wrong with an object now; nothing, when it is gone. */
  report(object: string, problems: readonly MusterError[]): void {
    const told = this.#told.get(object);
    if (told === undefined && problems.length === 0) return;
    const now = new Set<string>();
    for (const { code, message, path = "" } of problems) {
      const what = `${code} ${path}`;
      if (!told?.has(what) && !now.has(what))
        this.#logger.warn(
          { object, code, error: message },
          "a part of a Kubernetes object is left out",
        );
      now.add(what);
    }
    if (now.size === 0) this.#told.delete(object);
    else this.#told.set(object, now);
    this.#gauge.set(this.#told.size, this.#labels);
  }

  /** Takes the gauge away. */
  close(): void {
    this.#gauge.remove(this.#labels);
  }
}
