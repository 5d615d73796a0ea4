import type { FreshnessState, Gauge, LogFields, Logger } from "@muster/core";
import type { EndpointRecord } from "../store/endpoint-record.ts";

const states: readonly FreshnessState[] = ["pending", "fresh", "stale", "unreachable", "unpolled"];

/** Why an endpoint is in its state. */
export interface StateCause {
  readonly errorCode: string | undefined;
  readonly message: string | undefined;
}

/** Knows which endpoint is in which state, counts them and logs each change. */
export class StateBoard {
  readonly #logger: Logger;
  readonly #gauge: Gauge;
  readonly #shown = new Map<EndpointRecord, FreshnessState>();
  readonly #counts = new Map<FreshnessState, number>(states.map((state) => [state, 0]));
  #dirty = true;

  constructor(logger: Logger, gauge: Gauge) {
    this.#logger = logger;
    this.#gauge = gauge;
  }

  /** The state of an endpoint; whether it is another than before. */
  show(record: EndpointRecord, state: FreshnessState, cause?: StateCause): boolean {
    const before = this.#shown.get(record);
    if (before === state) return false;
    this.#shown.set(record, state);
    this.#count(before, -1);
    this.#count(state, 1);
    if (before !== undefined) this.#log(record, { state, before, cause });
    return true;
  }

  /** The endpoint is gone. */
  forget(record: EndpointRecord): void {
    this.#count(this.#shown.get(record), -1);
    this.#shown.delete(record);
  }

  /** Brings the gauge up to date. */
  flush(): void {
    if (!this.#dirty) return;
    for (const [state, count] of this.#counts) this.#gauge.set(count, { state });
    this.#dirty = false;
  }

  #count(state: FreshnessState | undefined, change: number): void {
    if (state === undefined) return;
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + change);
    this.#dirty = true;
  }

  #log(
    record: EndpointRecord,
    change: { state: FreshnessState; before: FreshnessState; cause: StateCause | undefined },
  ): void {
    const { state, before, cause } = change;
    const fields: LogFields = {
      endpoint: record.id,
      before,
      ...(cause?.errorCode !== undefined && { code: cause.errorCode }),
      ...(cause?.message !== undefined && { error: cause.message }),
    };
    if (state === "stale") this.#logger.warn(fields, "endpoint is stale");
    else if (state === "unreachable") this.#logger.warn(fields, "endpoint is unreachable");
    else if (state === "fresh" && before !== "pending")
      this.#logger.info(fields, "endpoint is fresh again");
    else this.#logger.debug({ ...fields, state }, "endpoint changed state");
  }
}
