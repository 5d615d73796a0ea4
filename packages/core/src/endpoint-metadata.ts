import { hostPort, isAddress, isPort, isRequestPath } from "./address.ts";
import { MusterError } from "./errors.ts";
import { endpointId, type NamespacedName, namespacedName } from "./names.ts";
import { formatPlain } from "./plain-data.ts";

/** Where an endpoint's metrics are, as far as it differs from the serving address. */
export interface MetricsTarget {
  /** Unset: the polling source's own default. */
  readonly scheme?: "http" | "https" | undefined;
  /** Unset: the serving address. */
  readonly address?: string | undefined;
  /** Unset: the polling source's `port`, else the serving port. */
  readonly port?: string | undefined;
  /** Unset: the polling source's own default. */
  readonly path?: string | undefined;
  /** `false`: nothing polls this endpoint; it is `unpolled`. */
  readonly enabled: boolean;
}

/**
 * What is known of a model server before it is asked: an immutable value. Made by
 * {@link createEndpointMetadata}, changed by making another with {@link cloneEndpointMetadata}.
 */
export interface EndpointMetadata {
  /** The key. For pods the name is `<pod>-rank-<rankIndex>`. */
  readonly namespacedName: NamespacedName;
  /** The pod or workload; empty where there is none. */
  readonly podName: string;
  /** Serving address: IPv4, IPv6 without brackets, or host name. */
  readonly address: string;
  /** Serving port, `1`..`65535`. */
  readonly port: string;
  /** Address of the node, for node-level exporters; empty outside Kubernetes. */
  readonly nodeAddress: string;
  /** `host:port` to scrape, IPv6 in brackets; derived from `metrics` and the serving address. */
  readonly metricsHost: string;
  readonly metrics: MetricsTarget;
  /** No prototype, so any key is only data. */
  readonly labels: Readonly<Record<string, string>>;
  /** Position of the port in the pool's target ports: the pod-local rank. */
  readonly rankIndex: number;
}

/** What {@link createEndpointMetadata} needs; everything else has the default it names. */
export interface EndpointMetadataInit {
  readonly name: string;
  /** Default `default`. */
  readonly namespace?: string | undefined;
  readonly podName?: string | undefined;
  readonly address: string;
  readonly port: string | number;
  readonly nodeAddress?: string | undefined;
  readonly metrics?:
    | {
        readonly scheme?: "http" | "https" | undefined;
        readonly address?: string | undefined;
        readonly port?: string | number | undefined;
        readonly path?: string | undefined;
        /** Default true. */
        readonly enabled?: boolean | undefined;
      }
    | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Default 0. */
  readonly rankIndex?: number | undefined;
}

/**
 * Checks and freezes endpoint metadata.
 *
 * @throws MusterError ENDPOINT_INVALID, naming the field (`path`) and its value.
 */
export function createEndpointMetadata(init: EndpointMetadataInit): EndpointMetadata {
  const key = namespacedName(
    keyPart("namespace", init.namespace ?? "default"),
    keyPart("name", init.name),
  );
  const address = addressField("address", init.address);
  const port = portField("port", init.port);
  const metrics = metricsTarget(init.metrics ?? {});
  return Object.freeze({
    namespacedName: key,
    podName: text("podName", init.podName ?? ""),
    address,
    port,
    nodeAddress: init.nodeAddress ? addressField("nodeAddress", init.nodeAddress) : "",
    metricsHost: hostPort(metrics.address ?? address, metrics.port ?? port),
    metrics,
    labels: copyLabels(init.labels ?? {}),
    rankIndex: rank(init.rankIndex ?? 0),
  });
}

/** A new value with the given fields replaced; without changes, an equal one. */
export function cloneEndpointMetadata(
  metadata: EndpointMetadata,
  changes: Partial<EndpointMetadataInit> = {},
): EndpointMetadata {
  const { namespacedName: key, metricsHost: _derived, ...rest } = metadata;
  return createEndpointMetadata({ ...rest, name: key.name, namespace: key.namespace, ...changes });
}

/** Whether every field is equal, labels included. Two absent values are equal. */
export function equalEndpointMetadata(
  a: EndpointMetadata | undefined,
  b: EndpointMetadata | undefined,
): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return (
    endpointId(a.namespacedName) === endpointId(b.namespacedName) &&
    a.podName === b.podName &&
    a.address === b.address &&
    a.port === b.port &&
    a.nodeAddress === b.nodeAddress &&
    a.metricsHost === b.metricsHost &&
    a.rankIndex === b.rankIndex &&
    a.metrics.scheme === b.metrics.scheme &&
    a.metrics.address === b.metrics.address &&
    a.metrics.port === b.metrics.port &&
    a.metrics.path === b.metrics.path &&
    a.metrics.enabled === b.metrics.enabled &&
    equalLabels(a.labels, b.labels)
  );
}

/** One line for logs: id, serving address and, where it differs, the address scraped. */
export function formatEndpointMetadata(metadata: EndpointMetadata): string {
  const serving = hostPort(metadata.address, metadata.port);
  const scraped = metadata.metricsHost === serving ? "" : ` metrics ${metadata.metricsHost}`;
  return `${endpointId(metadata.namespacedName)} (${serving}${scraped})`;
}

function invalid(field: string, value: unknown, rule: string): MusterError {
  return new MusterError("ENDPOINT_INVALID", `${field} ${formatPlain(value)} ${rule}`, {
    path: field,
  });
}

function text(field: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalid(field, value, "must be a string");
}

/** Namespace and name: as long as Kubernetes allows, and nothing that breaks `namespace/name`. */
function keyPart(field: string, value: unknown): string {
  if (typeof value === "string" && /^[^\s/\p{C}]{1,253}$/u.test(value)) return value;
  throw invalid(
    field,
    value,
    "must be 1 to 253 characters without slash, space or control character",
  );
}

function addressField(field: string, value: unknown): string {
  if (typeof value === "string" && isAddress(value)) return value;
  throw invalid(field, value, "must be an IPv4 or IPv6 address (no brackets) or a host name");
}

function portField(field: string, value: unknown): string {
  const port = typeof value === "number" ? String(value) : value;
  if (typeof port === "string" && isPort(port)) return port;
  throw invalid(field, value, "must be a port from 1 to 65535");
}

function rank(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid("rankIndex", value, "must be a whole number from 0");
}

function metricsTarget(init: NonNullable<EndpointMetadataInit["metrics"]>): MetricsTarget {
  const { scheme, address, port, path, enabled = true } = init;
  if (scheme !== undefined && scheme !== "http" && scheme !== "https")
    throw invalid("metrics.scheme", scheme, 'must be "http" or "https"');
  if (path !== undefined && !(typeof path === "string" && isRequestPath(path)))
    throw invalid(
      "metrics.path",
      path,
      "must start with / and hold no space, # or control character",
    );
  if (typeof enabled !== "boolean")
    throw invalid("metrics.enabled", enabled, "must be true or false");
  return Object.freeze({
    scheme,
    address: address === undefined ? undefined : addressField("metrics.address", address),
    port: port === undefined ? undefined : portField("metrics.port", port),
    path,
    enabled,
  });
}

function copyLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const copy: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(labels)) copy[key] = text(`labels.${key}`, value);
  return Object.freeze(copy);
}

function equalLabels(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
