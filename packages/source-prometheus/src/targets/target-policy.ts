import { MusterError } from "@muster/core";
import { HostList } from "./host-list.ts";
import {
  embeddedV4,
  type IpAddress,
  type IpRange,
  inRange,
  parseIp,
  parseRange,
  rangeWithin,
} from "./ip-address.ts";

/**
 * Never scraped unless listed by a range inside: who can register an endpoint could otherwise make us ask
 * for a cloud's credentials. RFC 3927 and 4291 (link-local, multicast, unspecified), and the metadata
 * services that are elsewhere: AWS and GCP over IPv6, Alibaba, Oracle, Azure's wire server.
 */
const guarded: readonly IpRange[] = [
  "169.254.0.0/16",
  "fe80::/10",
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "0.0.0.0/8",
  "224.0.0.0/4",
  "255.255.255.255",
  "::",
  "ff00::/8",
].flatMap((range) => parseRange(range) ?? []);

/** Decides which addresses may be connected to. Asked after names are resolved. */
export class TargetPolicy {
  readonly #list: HostList | undefined;

  /** `allowed`: nothing else is scraped; `undefined`: everything that is not guarded. */
  constructor(allowed: readonly string[] | undefined) {
    this.#list = allowed && new HostList(allowed);
  }

  /** Why `address`, which `host` is or resolved to, may not be connected to; `undefined` when it may. */
  refusal(host: string, address: string): MusterError | undefined {
    const ip = parseIp(address);
    if (ip === undefined) return blocked(host, address, "is not an IP address");
    if (this.#guards(ip))
      return blocked(host, address, "is a link-local, metadata or special address");
    if (this.#list === undefined || this.#list.has(host, ip)) return undefined;
    return blocked(host, address, "is not among the allowed targets");
  }

  #guards(ip: IpAddress): boolean {
    const embedded = embeddedV4(ip);
    return guarded.some((range) => {
      const found = [ip, embedded].find((form) => form !== undefined && inRange(form, range));
      return found !== undefined && !this.#listsWithin(found, range);
    });
  }

  /** `0.0.0.0/0` allows no metadata service: somebody has to have meant it. */
  #listsWithin(ip: IpAddress, outer: IpRange): boolean {
    const ranges = this.#list?.ranges ?? [];
    return ranges.some((range) => inRange(ip, range) && rangeWithin(range, outer));
  }
}

function blocked(host: string, address: string, why: string): MusterError {
  const shown = host === address ? address : `${host} (${address})`;
  return new MusterError(
    "SCRAPE_BLOCKED",
    `${shown} ${why}: not asked; list it in allowedTargets if it should be`,
  );
}
