import type { Counter, MusterError, PluginContext } from "@muster/core";
import { type DiscoveryInstanceId, planeBuckets } from "@muster/core/plane";

/** Keys whose state is remembered; past it the oldest is forgotten, and may be reported again. */
const remembered = 10_000;
/** Set off from keys, so that a record can be readable and refused at once. */
const rejected = "(refused)";

/** Reports records that cannot be used: counted and logged once for each state of a key. */
export class SkippedRecords {
  readonly #logger: PluginContext["logger"];
  readonly #counter: Counter;
  /** Code of the problem by bucket and key. */
  readonly #states = new Map<string, string>();

  constructor({ logger, metrics }: Pick<PluginContext, "logger" | "metrics">) {
    this.#logger = logger;
    this.#counter = metrics.counter({
      name: "muster_plane_records_skipped_total",
      help: "Records of the discovery plane that could not be used",
      labels: ["reason"],
    });
  }

  /** A record cannot be read. */
  report(bucket: string, key: string, problem: MusterError): void {
    this.#report(`${bucket}/${key}`, problem);
  }

  /** A record became another in a way it must not; the first one is kept. */
  reject(id: DiscoveryInstanceId, problem: MusterError): void {
    this.#report(`${planeBuckets[id.type]}/${id.toPath()} ${rejected}`, problem);
  }

  /** The record is gone. */
  gone(bucket: string, key: string): void {
    this.readable(bucket, key);
    if (this.#states.size > 0) this.#states.delete(`${bucket}/${key} ${rejected}`);
  }

  /** The record can be read. */
  readable(bucket: string, key: string): void {
    if (this.#states.size > 0) this.#states.delete(`${bucket}/${key}`);
  }

  #report(place: string, problem: MusterError): void {
    if (this.#states.get(place) === problem.code) return;
    this.#states.delete(place);
    this.#states.set(place, problem.code);
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= remembered) break;
      this.#states.delete(oldest);
    }
    this.#counter.add(1, { reason: problem.code });
    this.#logger.warn({ key: place, error: problem.toJSON() }, "skipping a record of the plane");
  }
}
