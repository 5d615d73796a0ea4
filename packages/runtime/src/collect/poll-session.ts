import type { Clock, DispatchResult } from "@muster/core";
import type { WriteHandle } from "@muster/core/dispatch";
import type { Moment } from "../freshness/source-freshness.ts";
import type { EndpointRecord } from "../store/endpoint-record.ts";
import type { PollBinding } from "./poll-binding.ts";
import { PollTask } from "./poll-task.ts";
import type { TrackedFreshness } from "./tracked-freshness.ts";

/** What polls tell their surroundings. */
export interface PollContext {
  readonly clock: Clock;
  /** Tasks there are now, of all endpoints. */
  readonly count: () => number;
  /** Why polls are aborted: one for all, since making an error costs more than all else in a removal. */
  readonly goneReason: Error;
  /** A dispatch began. */
  readonly began: () => void;
  /** A dispatch settled, whether or not it still counts. */
  readonly ended: (task: PollTask) => void;
  /** How long one took, ms. */
  observe(binding: PollBinding, duration: number): void;
  /** Some extractors failed, or stopped failing. */
  extracted(task: PollTask, result: DispatchResult): void;
  pollFailed(task: PollTask): void;
  /** Freshness is up to date; `message` says what kept the endpoint from becoming fresh. */
  settled(task: PollTask, at: Moment, message: string | undefined): void;
}

/** One stretch of polling one endpoint at one address, by all polling sources. */
export class PollSession {
  readonly record: EndpointRecord;
  readonly context: PollContext;
  /** One for all polls of the session: making one for each would cost more than the bookkeeping. */
  readonly options: { readonly signal: AbortSignal };
  readonly handle: WriteHandle;
  readonly tasks: readonly PollTask[];
  readonly #controller = new AbortController();
  #stopped = false;

  constructor(record: EndpointRecord, sources: readonly TrackedFreshness[], context: PollContext) {
    this.record = record;
    this.context = context;
    this.options = { signal: this.#controller.signal };
    this.handle = record.pollHandle();
    this.tasks = sources.map((freshness) => new PollTask(this, freshness));
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** From now on nothing of it writes or counts; what is in flight is aborted. Idempotent. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.handle.revoke();
    this.#controller.abort(this.context.goneReason);
  }
}
