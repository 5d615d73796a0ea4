import type { Counter, MusterError, PluginContext } from "@muster/core";
import { type DiscoveryInstanceId, planeBuckets } from "@muster/core/plane";

/** Keys whose state is remembered; what is past it is counted each time that it is read. */
const remembered = 10_000;
/** Most records that are logged before all of them can be used, or are gone. */
const maxLines = 20;
/** Set off from keys, so that a record can be readable and refused at once. */
const rejected = "(refused)";

/** Reports records that cannot be used: counted once for each state of a key, the first ones logged. */
export class SkippedRecords {
  readonly #logger: PluginContext["logger"];
  readonly #counter: Counter;
  /** Code of the problem by bucket and key. */
  readonly #states = new Map<string, string>();
  #lines = 0;

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
    this.#forget(`${bucket}/${key} ${rejected}`);
  }

  /** The record can be read. */
  readable(bucket: string, key: string): void {
    // that is every record each time: no text is made for nothing
    if (this.#states.size > 0) this.#forget(`${bucket}/${key}`);
  }

  #forget(place: string): void {
    if (this.#states.delete(place) && this.#states.size === 0) this.#lines = 0;
  }

  #report(place: string, problem: MusterError): void {
    if (this.#states.get(place) === problem.code) return;
    if (this.#states.size < remembered || this.#states.has(place))
      this.#states.set(place, problem.code);
    this.#counter.add(1, { reason: problem.code });
    this.#lines += 1;
    if (this.#lines <= maxLines)
      this.#logger.warn({ key: place, error: problem.toJSON() }, "skipping a record of the plane");
    else if (this.#lines === maxLines + 1)
      this.#logger.warn({}, "more records of the plane are skipped; they are counted only");
  }
}
