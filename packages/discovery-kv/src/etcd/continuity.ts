import type { CallOptions, Gateway } from "./gateway.ts";
import type { RangeView } from "./range-view.ts";
import { statusCode, statusError } from "./status.ts";
import { type RangeResponse, toNumber } from "./wire.ts";

/** How many records are compared; that so many agree by chance in another history is out of the question. */
const compared = 1000;

/**
 * Whether the store still holds, at the view's revision, what the view holds: then nothing but what
 * comes after that revision is missing. False after a wipe, a restore of an older state, or when the
 * revision was compacted. Values are compared too: a store that was wiped and filled again by the same
 * writers has the same keys at the same revisions.
 */
export async function isContinuous(
  gateway: Gateway,
  view: RangeView,
  options: CallOptions,
): Promise<boolean> {
  const { key, range_end } = view.range;
  const request = { key, range_end, revision: String(view.revision), limit: compared };
  const { body, refusal } = await gateway.call<RangeResponse>("/v3/kv/range", request, options);
  // compacted, or not reached yet
  if (refusal?.code === statusCode.outOfRange) return false;
  if (body === undefined) throw statusError("/v3/kv/range", refusal);
  const { kvs = [], count, header } = body;
  return (
    toNumber(count) === view.size && view.continues(header) && kvs.every((kv) => view.holds(kv))
  );
}

/**
 * Whether the view lacks something, as far as another connection can tell.
 *
 * @returns the revision up to which nothing is missing; undefined when something is
 */
export async function completeUntil(
  gateway: Gateway,
  view: RangeView,
  options: CallOptions,
): Promise<number | undefined> {
  const { key, range_end } = view.range;
  const since = view.revision;
  const everything = { key, range_end };
  const counted = await gateway.ask<RangeResponse>(
    "/v3/kv/range",
    { ...everything, count_only: true },
    options,
  );
  if (!view.continues(counted.header)) return undefined;
  if (toNumber(counted.header?.revision) === since) return since;
  // the store moved on: was it in this range? Asked only then, since the server reads all of it
  const changed = await gateway.ask<RangeResponse>(
    "/v3/kv/range",
    { ...everything, min_mod_revision: String(since + 1), keys_only: true, limit: 1 },
    options,
  );
  const { kvs = [], count, header } = changed;
  if (kvs.length > 0 || toNumber(count) !== view.size || !view.continues(header)) return undefined;
  return toNumber(header?.revision);
}
