import { Buffer } from "node:buffer";
import { formatPlain, isMusterError, MusterError } from "@muster/core";
import { checkRoom } from "../record-limit.ts";
import { type BulkReader, keyAfter } from "./bulk-reader.ts";
import type { CallOptions, Gateway } from "./gateway.ts";
import type { KeyRange } from "./key-range.ts";
import type { OnRecord } from "./range-message.ts";
import { statusCode, statusError } from "./status.ts";
import { fromWire, type Header, type RangeResponse, toNumber } from "./wire.ts";

/** Records asked for at once; fewer when they are so large that the answer would be too. */
const pageSize = 1000;

/** A record of a range. */
export interface RangeEntry {
  readonly value: string;
  /** Revision of its last change. */
  readonly revision: number;
}

/** Everything in a range at one revision; keys as within the bucket. */
export interface RangeSnapshot {
  readonly header: Header;
  readonly revision: number;
  readonly entries: Map<string, RangeEntry>;
}

/** What a range is read with. */
export interface RangeClient {
  readonly gateway: Gateway;
  readonly bulk: BulkReader;
}

/** Reads a range, all at the revision of its first page. */
export async function readRange(
  client: RangeClient,
  range: KeyRange,
  options?: CallOptions,
): Promise<RangeSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await readPages(client, range, options);
    if (snapshot !== undefined) return snapshot;
    if (attempt === 3)
      throw new MusterError(
        "STORE_RESPONSE",
        "etcd forgets revisions faster than they can be read: compact less often",
      );
  }
}

/** Undefined: the revision was compacted between two pages. */
async function readPages(
  { gateway, bulk }: RangeClient,
  range: KeyRange,
  options: CallOptions | undefined,
): Promise<RangeSnapshot | undefined> {
  const entries = new Map<string, RangeEntry>();
  const keep: OnRecord = (key, value, revision) => {
    checkRoom(entries.size, `from ${formatPlain(fromWire(range.key))} on`);
    entries.set(range.relative(key), { value, revision });
  };
  const { range_end } = range;
  let request: PageRequest = { key: range.key, range_end, limit: pageSize };
  for (;;) {
    const page = await readPage(gateway, request, options);
    if (page === "compacted") return undefined;
    if (page === "too large") {
      request = { ...request, limit: Math.ceil(request.limit / 8) };
      continue;
    }
    const { kvs = [], header = {} } = page;
    const revision = request.revision ?? toNumber(header.revision);
    for (const kv of kvs) keep(fromWire(kv.key), fromWire(kv.value), toNumber(kv.mod_revision));
    const last = kvs.at(-1);
    const next = last === undefined ? request.key : keyAfter(last.key);
    if (page.more && !isAfter(next, request.key))
      throw new MusterError(
        "STORE_RESPONSE",
        "etcd says that there is more, and gives nothing new",
      );
    const isRead =
      !page.more || (await bulk.read({ key: next, range_end, revision }, keep, options?.signal));
    if (isRead) return { header, revision, entries };
    request = { ...request, key: next, revision };
  }
}

/** Whether a key, in base64, is beyond another. */
function isAfter(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key, "base64"), Buffer.from(other, "base64")) > 0;
}

interface PageRequest {
  readonly key: string;
  readonly range_end: string;
  readonly limit: number;
  readonly revision?: number;
}

async function readPage(
  gateway: Gateway,
  request: PageRequest,
  options: CallOptions | undefined,
): Promise<RangeResponse | "compacted" | "too large"> {
  try {
    const { body, refusal } = await gateway.call<RangeResponse>("/v3/kv/range", request, options);
    if (body !== undefined) return body;
    if (refusal?.code === statusCode.outOfRange) return "compacted";
    throw statusError("/v3/kv/range", refusal);
  } catch (error) {
    if (isMusterError(error) && error.code === "STORE_TOO_LARGE" && request.limit > 1)
      return "too large";
    throw error;
  }
}
