import type { MusterError } from "../errors.ts";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import type { DiscoveryInstanceId } from "./discovery-instance-id.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";
import type { DiscoverySpec } from "./discovery-spec.ts";
import type { ModelCardInstanceId } from "./model-card-instance-id.ts";

/** Options of everything that waits. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link Discovery.listAndWatch}. */
export interface DiscoveryWatchOptions extends WaitOptions {
  /** Report `Resync`; default true. False is the original's first contract: differences only. */
  readonly resync?: boolean | undefined;
  /**
   * How many events wait for a slow reader; default 16,384. Past it they are dropped and the reader
   * gets the difference to what it has seen, and a `Resync`.
   */
  readonly queueLimit?: number | undefined;
  /**
   * Called with the reason when the backend cannot be followed any more, and with undefined when it
   * is followed again. What happened meanwhile arrives as differences. What it throws is logged.
   */
  readonly onInterruption?: ((problem: MusterError | undefined) => void) | undefined;
}

/** The events of one watch; `return()` (leaving a `for await`) ends it. */
export type DiscoveryStream = AsyncIterableIterator<DiscoveryEvent>;

/** The discovery plane as one worker sees it, over a key-value store or Kubernetes. */
export interface Discovery extends AsyncDisposable {
  /** Who we are: what we register carries this id and leaves with it. A 64-bit number. */
  readonly instanceId: bigint;

  /**
   * Registers something under our id; it stays until unregistered, closed, or our lease ends.
   * Registering again changes nothing: an endpoint keeps its first value until it is unregistered.
   *
   * @returns what is registered
   * @throws MusterError PLANE_NAME, PLANE_CARD, PLANE_CONFLICT for a model that does not fit those on
   * its endpoint and for a model or event source that is registered as another one, PLANE_CLOSED, and
   * the backend's STORE_….
   */
  register(spec: DiscoverySpec, options?: WaitOptions): Promise<DiscoveryInstance>;

  /** Removes one record, anybody's; one that is not there is no error. Only its id matters. */
  unregister(
    instance: DiscoveryInstance | DiscoveryInstanceId,
    options?: WaitOptions,
  ): Promise<void>;

  /**
   * What is registered now, in no particular order; records that cannot be read are left out.
   *
   * @throws MusterError PLANE_VARIANT, PLANE_NAME and PLANE_RECORD for a query that is none, and the
   * backend's STORE_….
   */
  list(query: DiscoveryQuery, options?: WaitOptions): Promise<readonly DiscoveryInstance[]>;

  /**
   * Everything that matches as `Added`, one `Resync`, then each change. Nothing that happens after
   * this resolves is missed, and an interruption of the backend does not end the stream. It ends when
   * it is returned, when the signal aborts and when the plane is closed; it throws what can never be
   * mended (STORE_LEASE_LOST).
   *
   * @throws MusterError as `list` does, and PLANE_ABORTED when aborted before it is established.
   */
  listAndWatch(query: DiscoveryQuery, options?: DiscoveryWatchOptions): Promise<DiscoveryStream>;

  /**
   * Replaces the taints of our own base model: sorted, without duplicates, with the topology taints
   * that follow from its card.
   *
   * @returns the record as it is now
   * @throws MusterError PLANE_TAINT for another's or a LoRA's record and for `dynamo.topology/…`,
   * NOT_FOUND, PLANE_CONFLICT when others keep changing it, and the backend's STORE_….
   */
  updateModelTaints(
    id: ModelCardInstanceId,
    taints: Iterable<string>,
    options?: WaitOptions,
  ): Promise<DiscoveryInstance>;

  /** Resolves when the backend answers. */
  check(options?: WaitOptions): Promise<void>;

  /** Takes everything we registered away, ends all watches. Idempotent. */
  close(): Promise<void>;
}
