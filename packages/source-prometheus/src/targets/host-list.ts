import { isHostName } from "@muster/core";
import { type IpAddress, type IpRange, inRange, parseIp, parseRange } from "./ip-address.ts";

/**
 * Hosts as configuration names them: `10.0.0.0/8`, `fd00::/8`, an address, a host name, `*.svc.local` for
 * every name below it, `*` for every host.
 */
export class HostList {
  readonly ranges: readonly IpRange[];
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];
  readonly #any: boolean;

  /** `entries`: checked by {@link isHostEntry}. */
  constructor(entries: readonly string[]) {
    const ranges: IpRange[] = [];
    for (const entry of entries.map(normalise)) {
      const range = parseRange(entry);
      if (range !== undefined) ranges.push(range);
      else if (entry.startsWith("*.")) this.#suffixes.push(entry.slice(1));
      else this.#names.add(entry);
    }
    this.ranges = ranges;
    this.#any = this.#names.has("*");
  }

  /** Whether it lists an address, or the name under which a host was asked for. */
  has(host: string, ip: IpAddress | undefined = parseIp(host)): boolean {
    return this.#any || this.#hasName(host) || (ip !== undefined && this.#hasAddress(ip));
  }

  #hasAddress(ip: IpAddress): boolean {
    return this.ranges.some((range) => inRange(ip, range));
  }

  #hasName(host: string): boolean {
    const name = normalise(host);
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix));
  }
}

/** Whether `text` can stand in a {@link HostList}. */
export function isHostEntry(text: string): boolean {
  if (text === "*" || parseRange(text) !== undefined) return true;
  return isHostName(text.startsWith("*.") ? text.slice(2) : text);
}

/** Names are the same in any case, and with or without the final dot. */
function normalise(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}
