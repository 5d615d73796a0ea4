/** An IP address as a number. IPv4-mapped IPv6 is IPv4: the kernel connects to the same place. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** An address range in CIDR notation. */
export interface IpRange {
  readonly family: 4 | 6;
  /** The bits all its addresses share, shifted down. */
  readonly prefix: bigint;
  /** How many bits those are. */
  readonly bits: number;
}

const mapped = 0xffffn;

/** Reads an IPv4 address in dotted decimals or an IPv6 address, with or without zone; else `undefined`. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(":")) {
    const value = parseV4(text);
    return value === undefined ? undefined : { family: 4, value };
  }
  const value = parseV6(text.split("%", 1)[0] ?? "");
  if (value === undefined) return undefined;
  return value >> 32n === mapped ? v4(value) : { family: 6, value };
}

/** Reads `address/bits`, or an address as the range that holds only it. */
export function parseRange(text: string): IpRange | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0) return undefined;
  // the length of a mapped address counts from 96
  const offset = ip.family === 4 && address.includes(":") ? 96 : 0;
  const size = sizeOf(ip.family);
  if (length === undefined) return { family: ip.family, prefix: ip.value, bits: size };
  if (!/^\d{1,3}$/.test(length)) return undefined;
  const bits = Number(length) - offset;
  if (bits < 0 || bits > size) return undefined;
  return { family: ip.family, prefix: ip.value >> BigInt(size - bits), bits };
}

/** Whether the address is in the range. */
export function inRange(ip: IpAddress, range: IpRange): boolean {
  return (
    ip.family === range.family &&
    ip.value >> BigInt(sizeOf(ip.family) - range.bits) === range.prefix
  );
}

/** Whether all of `inner` is in `outer`. */
export function rangeWithin(inner: IpRange, outer: IpRange): boolean {
  return (
    inner.family === outer.family &&
    inner.bits >= outer.bits &&
    inner.prefix >> BigInt(inner.bits - outer.bits) === outer.prefix
  );
}

/**
 * The IPv4 address that a gateway would make of an IPv6 one: NAT64 (RFC 6052), 6to4 (RFC 3056) and the
 * old IPv4-compatible form. `undefined` for other addresses.
 */
export function embeddedV4(ip: IpAddress): IpAddress | undefined {
  if (ip.family === 4) return undefined;
  const high = ip.value >> 32n;
  if (high === 0x64ff9bn << 64n || (high === 0n && ip.value > 1n)) return v4(ip.value);
  return ip.value >> 112n === 0x2002n ? v4(ip.value >> 80n) : undefined;
}

function v4(value: bigint): IpAddress {
  return { family: 4, value: value & 0xffffffffn };
}

function sizeOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part)))
    return undefined;
  if (parts.some((part) => Number(part) > 255)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split("::");
  const [head, tail] = halves.map(groupsOf);
  if (halves.length > 2 || head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? join(head) : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return join([...head, ...Array(8 - head.length - tail.length).fill(0n), ...tail]);
}

/** The 16-bit groups of a part of an IPv6 address; the last may be an IPv4 address. */
function groupsOf(text: string): bigint[] | undefined {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const dotted = index === parts.length - 1 && part.includes(".") ? parseV4(part) : undefined;
    if (dotted !== undefined) groups.push(dotted >> 16n, dotted & 0xffffn);
    else if (/^[\da-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

function join(groups: readonly bigint[]): bigint {
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}
