import {
  type AttributeReader,
  type AttributesOptions,
  type Clock,
  createEndpoint,
  type EndpointMetadata,
  type Freshness,
  type Metrics,
  type ModelServer,
  type TypedName,
} from "@muster/core";
import {
  createWriteHandle,
  type WriteHandle,
  type WriteHandleOptions,
} from "@muster/core/dispatch";
import type { FeedEntry } from "../feed/change-feed.ts";
import { type EndpointFreshness, unpolled } from "../freshness/endpoint-freshness.ts";
import type { Claim } from "./claim.ts";
import { equalMetrics } from "./equal-metrics.ts";
import type { FleetEndpoint } from "./fleet-endpoint.ts";
import { ReadOnlyAttributes, TrackedAttributes } from "./tracked-attributes.ts";

/** What the records of one store share. */
export interface RecordContext extends AttributesOptions {
  readonly clock: Clock;
  formatRevision(n: number): string;
  /** Something was written through a handle, outside of a poll. */
  touched(record: EndpointRecord): void;
  /** A write through a dead handle was refused. */
  onRefused(): void;
}

/**
 * One generation of an endpoint in the store: from the first report of its id to its deletion. An
 * endpoint that comes back is a new record, so nothing that holds the old one can write to it.
 */
export class EndpointRecord implements FeedEntry {
  readonly id: string;
  readonly server: ModelServer;
  readonly attributes: TrackedAttributes;
  readonly view: FleetEndpoint;
  /** Who reports it: the first owns it, the others wait. Never empty while the record is stored. */
  readonly claims: Claim[];
  created = 0;
  revision = 0;
  freshness: EndpointFreshness = unpolled;
  readonly #context: RecordContext;
  #root: WriteHandle | undefined;
  #seenMetrics: Metrics;
  #removed = false;

  constructor(claim: Claim, context: RecordContext) {
    this.attributes = new TrackedAttributes(context);
    this.server = createEndpoint(claim.metadata, {
      attributes: this.attributes,
      now: () => context.clock.now(),
    });
    this.id = this.server.id;
    this.claims = [claim];
    this.#context = context;
    this.#seenMetrics = this.server.metrics;
    this.view = new RecordView(this, context);
  }

  get removed(): boolean {
    return this.#removed;
  }

  get owner(): Claim["owner"] {
    const [claim] = this.claims;
    if (claim === undefined) throw new RangeError(`endpoint ${this.id} has no owner`);
    return claim.owner;
  }

  /**
   * A handle for writes outside of polls, all of which make one change per turn of the event loop.
   * Dead once the endpoint is removed.
   */
  handle(attributes?: ReadonlySet<string>): WriteHandle {
    this.#root ??= this.pollHandle({ onWrite: () => this.#context.touched(this) });
    if (this.#removed) this.#root.revoke();
    return createWriteHandle(this.#root.endpoint, { attributes });
  }

  /** A handle whose writes are looked for after the poll, with {@link takeChanged}. */
  pollHandle(options: WriteHandleOptions = {}): WriteHandle {
    const { onRefused } = this.#context;
    return createWriteHandle(this.server, { ...options, onRefused });
  }

  /** Whether metrics or attributes say something else than at the last call. */
  takeChanged(): boolean {
    const { metrics } = this.server;
    const changed = !equalMetrics(metrics, this.#seenMetrics);
    this.#seenMetrics = metrics;
    return this.attributes.takeChanged() || changed;
  }

  /** Kills every handle. */
  remove(): void {
    this.#removed = true;
    this.#root?.revoke();
  }
}

class RecordView implements FleetEndpoint {
  readonly id: string;
  readonly attributes: AttributeReader;
  readonly #record: EndpointRecord;
  readonly #context: RecordContext;

  constructor(record: EndpointRecord, context: RecordContext) {
    this.id = record.id;
    this.attributes = new ReadOnlyAttributes(record.attributes);
    this.#record = record;
    this.#context = context;
  }

  get metadata(): EndpointMetadata {
    return this.#record.server.metadata;
  }

  get metrics(): Metrics {
    return this.#record.server.metrics;
  }

  get freshness(): Freshness {
    return this.#record.freshness.aggregate(this.#context.clock.monotonic());
  }

  get sources(): ReadonlyMap<string, Freshness> {
    return this.#record.freshness.sources(this.#context.clock.monotonic());
  }

  get degraded(): boolean {
    return this.#record.owner.degraded;
  }

  get owner(): TypedName {
    return this.#record.owner.typedName;
  }

  get revision(): string {
    return this.#context.formatRevision(this.#record.revision);
  }

  toString(): string {
    return this.#record.server.toString();
  }
}
