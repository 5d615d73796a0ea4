import { Buffer } from "node:buffer";
import { isMusterError, MusterError } from "@muster/core";
import type { CallOptions, Gateway } from "./gateway.ts";
import type { KeyRange } from "./key-range.ts";
import { statusCode, statusError } from "./status.ts";
import { fromWire, type Header, type RangeResponse, toNumber } from "./wire.ts";

/** Records asked for at once; fewer when they are so large that the answer would be too. */
const pageSize = 2500;
/** Most records that a range may hold. */
const maxRecords = 1_000_000;

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

/** Reads a range page by page, all at the revision of the first one. */
export async function readRange(
  gateway: Gateway,
  range: KeyRange,
  options?: CallOptions,
): Promise<RangeSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await readPages(gateway, range, options);
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
  gateway: Gateway,
  range: KeyRange,
  options: CallOptions | undefined,
): Promise<RangeSnapshot | undefined> {
  const entries = new Map<string, RangeEntry>();
  let { key } = range;
  let header: Header | undefined;
  let limit = pageSize;
  for (;;) {
    const request = {
      key,
      range_end: range.range_end,
      limit,
      ...(header && { revision: header.revision }),
    };
    const page = await readPage(gateway, request, options);
    if (page === "compacted") return undefined;
    if (page === "too large") {
      limit = Math.ceil(limit / 8);
      continue;
    }
    header ??= page.header ?? {};
    const { kvs = [] } = page;
    for (const kv of kvs)
      entries.set(range.relative(kv.key), {
        value: fromWire(kv.value),
        revision: toNumber(kv.mod_revision),
      });
    const last = kvs.at(-1);
    if (last !== undefined && key === keyAfter(last.key))
      throw new MusterError("STORE_RESPONSE", "etcd gives the same page again and again");
    if (!page.more || last === undefined)
      return { header, revision: toNumber(header.revision), entries };
    if (entries.size >= maxRecords)
      throw new MusterError(
        "STORE_TOO_LARGE",
        `more than ${maxRecords} records below ${JSON.stringify(fromWire(range.key))}`,
      );
    key = keyAfter(last.key);
  }
}

async function readPage(
  gateway: Gateway,
  request: { readonly limit: number },
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

/** The smallest key beyond one, in base64. */
function keyAfter(wire: string): string {
  return Buffer.concat([Buffer.from(wire, "base64"), Buffer.of(0)]).toString("base64");
}
