import { formatPlain, isAddress, isIPv6, isPort, MusterError } from "@muster/core";
import type { TransportType } from "@muster/core/plane";

/** Where something listens. */
export interface HostAndPort {
  /** IPv4, IPv6 without brackets, or a host name. */
  readonly host: string;
  readonly port: string;
}

/**
 * Where requests to a record's endpoint go; undefined for NATS, where they go to a subject.
 *
 * @throws MusterError DISCOVERY_ENTRY when the transport names no host and port
 */
export function servingAddress(transport: TransportType): HostAndPort | undefined {
  if ("nats_tcp" in transport) return undefined;
  const [kind, text] = "tcp" in transport ? ["tcp", transport.tcp] : ["http", transport.http];
  const [, scheme, rest] = (kind === "http" && /^(https?):\/\/(.*)$/is.exec(text)) || [];
  const authority = (kind === "tcp" ? text : rest)?.split(/[/?#]/, 1)[0];
  const found = authority === undefined ? undefined : readAuthority(authority, scheme);
  if (found !== undefined) return found;
  const wanted = kind === "tcp" ? "host:port/<id>/<endpoint>" : "http://host:port/<path>";
  throw new MusterError(
    "DISCOVERY_ENTRY",
    `transport.${kind} ${formatPlain(text)} must be ${wanted}, an IPv6 address in brackets`,
  );
}

const defaultPorts: ReadonlyMap<string, string> = new Map([
  ["http", "80"],
  ["https", "443"],
]);

/**
 * Reads `host:port`, an IPv6 address in brackets; undefined when it is something else. Of a URL, whose
 * `scheme` is given, the port may be left out.
 */
export function readAuthority(text: string, scheme = ""): HostAndPort | undefined {
  const [, ipv6, name, given] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/s.exec(text) ?? [];
  const port = given ?? defaultPorts.get(scheme.toLowerCase()) ?? "";
  if (!isPort(port)) return undefined;
  if (ipv6 !== undefined) return isIPv6(ipv6) ? { host: ipv6, port } : undefined;
  return name !== undefined && isAddress(name) ? { host: name, port } : undefined;
}
