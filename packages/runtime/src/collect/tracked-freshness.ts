import type { ErrorCode, FreshnessState } from "@muster/core";
import type { Aged } from "../freshness/age-queue.ts";
import { SourceFreshness } from "../freshness/source-freshness.ts";
import type { EndpointRecord } from "../store/endpoint-record.ts";
import type { PollBinding } from "./poll-binding.ts";

/** Freshness that knows its endpoint, its source and what readers were last shown of it. */
export class TrackedFreshness extends SourceFreshness implements Aged<TrackedFreshness> {
  readonly record: EndpointRecord;
  readonly binding: PollBinding;
  older: TrackedFreshness | undefined;
  newer: TrackedFreshness | undefined;
  #shownState: FreshnessState = "pending";
  #shownCode: ErrorCode | undefined;

  constructor(record: EndpointRecord, binding: PollBinding) {
    super(binding.thresholds);
    this.record = record;
    this.binding = binding;
  }

  /** Whether state or error code are others than at the last call; `now` is monotonic, ms. */
  takeChanged(now: number): boolean {
    const state = this.state(now);
    const changed = state !== this.#shownState || this.errorCode !== this.#shownCode;
    this.#shownState = state;
    this.#shownCode = this.errorCode;
    return changed;
  }
}
