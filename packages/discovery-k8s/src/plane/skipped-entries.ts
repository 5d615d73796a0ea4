import type { Counter, Logger, MusterError, PluginContext } from "@muster/core";
import type { DiscoveryInstanceId } from "@muster/core/plane";

/** Something of a worker's object that cannot be used. */
export interface Problem {
  /** Map and key, such as `endpoints/ns/c/e/1`; empty for the whole. */
  readonly place: string;
  readonly problem: MusterError;
}

/** Objects whose state is remembered; past it the oldest is forgotten, and may be told of again. */
const remembered = 10_000;

/** Reports what cannot be used of workers' objects: counted and logged once for each state of it. */
export class SkippedEntries {
  readonly #logger: Logger;
  readonly #counter: Counter;
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor({ logger, metrics }: Pick<PluginContext, "logger" | "metrics">) {
    this.#logger = logger;
    this.#counter = metrics.counter({
      name: "muster_plane_records_skipped_total",
      help: "Records of the discovery plane that could not be used",
      labels: ["reason"],
    });
  }

  /** All problems that a worker's object has now. */
  report(name: string, problems: readonly Problem[]): void {
    const before = this.#told.get(name);
    this.#told.delete(name);
    if (problems.length === 0) return;
    const now = new Set<string>();
    for (const { place, problem } of problems) {
      const state = `${problem.code} ${place}`;
      if (before?.has(state) !== true && !now.has(state)) this.#tell(name, place, problem);
      now.add(state);
    }
    this.#told.set(name, now);
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= remembered) break;
      this.#told.delete(oldest);
    }
  }

  /** A record became another in a way it must not; readers keep the first one. */
  reject(id: DiscoveryInstanceId, problem: MusterError): void {
    this.#tell("", id.toPath(), problem);
  }

  #tell(object: string, record: string, problem: MusterError): void {
    this.#counter.add(1, { reason: problem.code });
    const fields = { object, record, error: problem.toJSON() };
    this.#logger.warn(fields, "skipping a record of the plane");
  }
}
