const hostLabel = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const ipv4Part = /^(?:0|[1-9]\d{0,2})$/;
const portText = /^[1-9]\d{0,4}$/;
const requestPath = /^\/[\x21\x22\x24-\x7e]*$/;

/** Whether `text` is a dotted-decimal IPv4 address (no leading zeros, as RFC 6943 advises). */
export function isIPv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => ipv4Part.test(part) && Number(part) <= 255);
}

/** Whether `text` is an IPv6 address, without brackets and without a zone. */
export function isIPv6(text: string): boolean {
  if (!text.includes(":") || !/^[0-9A-Fa-f:.]{2,45}$/.test(text)) return false;
  return URL.canParse(`http://[${text}]/`);
}

/**
 * Whether `text` is a DNS host name: labels of 1..63 characters, 253 at most. A name whose last label
 * is a number is refused, since resolvers read such names as IPv4 addresses (WHATWG URL, "ends in a
 * number").
 */
export function isHostName(text: string): boolean {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  if (name === "" || name.length > 253) return false;
  const labels = name.split(".");
  if (!labels.every((label) => hostLabel.test(label))) return false;
  return !/^(?:\d+|0[xX][0-9A-Fa-f]*)$/.test(labels.at(-1) ?? "");
}

/** Whether `text` is an IPv4 or IPv6 address or a host name. */
export function isAddress(text: string): boolean {
  return isIPv4(text) || isIPv6(text) || isHostName(text);
}

/** Whether `text` is a port, `1`..`65535`, without sign or leading zeros. */
export function isPort(text: string): boolean {
  return portText.test(text) && Number(text) <= 65535;
}

/** Whether `text` can stand in a request line: starts with `/`, printable ASCII, no fragment. */
export function isRequestPath(text: string): boolean {
  return text.length <= 2048 && requestPath.test(text);
}

/** `host:port`, with an IPv6 address in brackets: the one place where they are added. */
export function hostPort(address: string, port: string): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
