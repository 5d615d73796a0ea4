import { hostPort, isAddress, isPort } from "@muster/core";

/**
 * Reads `host:port` or `[v6]:port` and gives it back with the port, or undefined when it is neither.
 *
 * @param fallback the port where none is given; without it one is needed
 */
export function readHostPort(text: string, fallback = ""): string | undefined {
  const parts = /^(?:\[(?<v6>[^\]]*:[^\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>.*))?$/.exec(text);
  const { v6, name, port = fallback } = parts?.groups ?? {};
  const host = v6 ?? name ?? "";
  return isAddress(host) && isPort(port) ? hostPort(host, port) : undefined;
}
