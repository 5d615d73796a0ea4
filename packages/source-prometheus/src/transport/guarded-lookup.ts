import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { MusterError } from "@muster/core";
import type { TargetPolicy } from "../targets/target-policy.ts";

/** One address of a name. */
export interface ResolvedAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Resolves a name to all its addresses, as `dns.lookup` with `all` does. */
export type ResolveAll = (
  name: string,
  options: { readonly all: true; readonly hints?: number | undefined },
  callback: (error: Error | null, addresses: ResolvedAddress[]) => void,
) => void;

/**
 * A `lookup` for sockets that gives only addresses the policy allows. The socket connects to exactly the
 * address that was checked, so a name cannot resolve to something else in between.
 */
export function guardedLookup(
  policy: TargetPolicy,
  resolve: ResolveAll = lookup as ResolveAll,
): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { hints: options.hints, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const allowed = addresses.filter(({ address }) => !policy.refusal(name, address));
      const [first] = allowed;
      if (first === undefined) callback(refusal(policy, name, addresses), "");
      else if (options.all) callback(null, [...allowed]);
      else callback(null, first.address, first.family);
    });
  };
}

function refusal(
  policy: TargetPolicy,
  name: string,
  addresses: readonly ResolvedAddress[],
): MusterError {
  const [first] = addresses;
  return (
    (first && policy.refusal(name, first.address)) ??
    new MusterError("SCRAPE_CONNECT", `${name} resolves to no address`)
  );
}
