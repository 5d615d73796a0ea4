import { Buffer } from "node:buffer";
import { formatPlain, MusterError } from "@muster/core";

/** The header of every answer; numbers are 64 bits wide and come as text. */
export interface Header {
  readonly cluster_id?: string;
  readonly member_id?: string;
  readonly revision?: string;
  readonly raft_term?: string;
}

/** A key as etcd stores it; what is zero or empty is left out. */
export interface KeyValue {
  readonly key: string;
  readonly value?: string;
  readonly create_revision?: string;
  readonly mod_revision?: string;
  readonly version?: string;
  readonly lease?: string;
}

export interface RangeResponse {
  readonly header?: Header;
  readonly kvs?: readonly KeyValue[];
  readonly count?: string;
  readonly more?: boolean;
}

export interface TxnResponse {
  readonly header?: Header;
  readonly succeeded?: boolean;
  readonly responses?: readonly {
    readonly response_range?: RangeResponse;
    readonly response_delete_range?: { readonly deleted?: string };
  }[];
}

export interface LeaseResponse {
  readonly header?: Header;
  readonly ID?: string;
  /** Seconds; absent when the lease is gone. */
  readonly TTL?: string;
  readonly keys?: readonly string[];
}

export interface WatchResponse {
  readonly header?: Header;
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly cancel_reason?: string;
  readonly compact_revision?: string;
  /** More of the same revision follows. */
  readonly fragment?: boolean;
  readonly events?: readonly WatchedEvent[];
}

export interface WatchedEvent {
  /** Absent: a put. */
  readonly type?: "PUT" | "DELETE";
  readonly kv?: KeyValue;
}

/** Keys and values are bytes: base64 in JSON. */
export function toWire(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** Bytes that are not UTF-8 come as U+FFFD. */
export function fromWire(base64: string | undefined): string {
  return base64 === undefined ? "" : Buffer.from(base64, "base64").toString("utf8");
}

/**
 * A revision, or another number that stays far below 2^53.
 *
 * @throws MusterError STORE_RESPONSE when it is none
 */
export function toNumber(text: string | undefined): number {
  if (text === undefined) return 0;
  if (typeof text === "string" && /^-?\d{1,19}$/.test(text)) return Number(text);
  throw new MusterError("STORE_RESPONSE", `etcd's answer has no number, but ${formatPlain(text)}`);
}
