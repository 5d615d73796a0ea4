import {
  type EndpointMetadata,
  endpointId,
  equalEndpointMetadata,
  formatTypedName,
  type Logger,
  type UpsertOptions,
} from "@muster/core";
import type { Instruments } from "../telemetry/instruments.ts";
import { checkedAttributes, checkedMetadata } from "./checked-report.ts";
import type { Claim, Owner } from "./claim.ts";
import type { EndpointRecord } from "./endpoint-record.ts";
import { type RecordStore, sameAttributes } from "./record-store.ts";

/** Endpoints one store takes: a discovery gone wild must not take all memory. */
export const maxEndpoints = 100_000;

/** What {@link Ownership} needs. */
export interface OwnershipOptions {
  readonly store: RecordStore;
  readonly instruments: Instruments;
  readonly logger: Logger;
  readonly maxEndpoints: number;
}

/**
 * Decides whose word counts when several discoveries report. The first to report an endpoint owns it.
 * Others wait with their latest report; when the owner drops the endpoint, the one that has waited
 * longest takes over, as an update: metrics, freshness and extracted attributes stay.
 */
export class Ownership {
  readonly #options: OwnershipOptions;
  #full = false;

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  upsert(owner: Owner, reported: EndpointMetadata, options: UpsertOptions = {}): void {
    const { store } = this.#options;
    if (store.closed) return;
    const metadata = checkedMetadata(reported);
    const attributes = checkedAttributes(options.attributes);
    const id = endpointId(metadata.namespacedName);
    const claim = owner.claims.get(id);
    if (claim === undefined) this.#claim(id, { owner, metadata, attributes, pass: owner.pass });
    else this.#renew(id, claim, { metadata, attributes });
  }

  delete(owner: Owner, id: string): void {
    const { store } = this.#options;
    const claim = owner.claims.get(id);
    const record = store.records.get(id);
    if (store.closed || claim === undefined || record === undefined) return;
    owner.claims.delete(id);
    if (record.claims.length === 1) store.remove(record);
    else this.#withdraw(record, claim);
  }

  /** Drops what the owner did not report again in its present pass. */
  sweep(owner: Owner): void {
    for (const [id, claim] of owner.claims) if (claim.pass !== owner.pass) this.delete(owner, id);
  }

  setDegraded(owner: Owner, degraded: boolean): void {
    if (owner.degraded === degraded) return;
    owner.degraded = degraded;
    for (const record of this.owned(owner)) this.#options.store.changed(record);
  }

  /** The endpoints that are the owner's now. */
  *owned(owner: Owner): Generator<EndpointRecord> {
    for (const [id, claim] of owner.claims) {
      const record = this.#options.store.records.get(id);
      if (record?.claims[0] === claim) yield record;
    }
  }

  #claim(id: string, claim: Claim): void {
    const { store, maxEndpoints: most } = this.#options;
    const record = store.records.get(id);
    if (record === undefined && store.records.size >= most) {
      this.#refuse(claim.owner, id);
      return;
    }
    claim.owner.claims.set(id, claim);
    if (record === undefined) {
      this.#full = false;
      store.create(claim);
    } else {
      record.claims.push(claim);
      this.#conflict(record, claim.owner);
    }
  }

  /** Takes one of several claims away. */
  #withdraw(record: EndpointRecord, claim: Claim): void {
    const { store, logger } = this.#options;
    const names = { endpoint: record.id, discovery: formatTypedName(claim.owner.typedName) };
    const wasOwner = record.claims[0] === claim;
    record.claims.splice(record.claims.indexOf(claim), 1);
    const [owner] = record.claims;
    if (!wasOwner || owner === undefined) {
      logger.debug(names, "a conflict of discoveries ended");
      return;
    }
    store.update(record, owner, claim.attributes);
    const to = formatTypedName(owner.owner.typedName);
    logger.info({ ...names, to }, "endpoint handed over to the next discovery that reports it");
  }

  #renew(id: string, claim: Claim, report: Pick<Claim, "metadata" | "attributes">): void {
    const { store } = this.#options;
    const before = claim.attributes;
    const same =
      equalEndpointMetadata(claim.metadata, report.metadata) &&
      sameAttributes(before, report.attributes);
    claim.pass = claim.owner.pass;
    if (same) return;
    claim.metadata = report.metadata;
    claim.attributes = report.attributes;
    const record = store.records.get(id);
    if (record?.claims[0] === claim) store.update(record, claim, before);
  }

  #conflict(record: EndpointRecord, claimant: Owner): void {
    const { instruments, logger } = this.#options;
    const discovery = formatTypedName(claimant.typedName);
    instruments.conflicts.add(1, { discovery });
    const owner = formatTypedName(record.owner.typedName);
    logger.warn(
      { code: "DISCOVERY_CONFLICT", endpoint: record.id, owner, discovery },
      "two discoveries report the same endpoint; the first keeps it",
    );
  }

  #refuse(owner: Owner, id: string): void {
    const { instruments, logger, maxEndpoints: most } = this.#options;
    const discovery = formatTypedName(owner.typedName);
    instruments.refusedEndpoints.add(1, { discovery });
    if (this.#full) return;
    this.#full = true;
    logger.error(
      { code: "DISCOVERY_TOO_LARGE", endpoint: id, discovery, most },
      "there are too many endpoints; further ones are refused",
    );
  }
}
