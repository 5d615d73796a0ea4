import {
  type EndpointMetadataInit,
  formatPlain,
  isAddress,
  isRequestPath,
  MusterError,
} from "@muster/core";
import { type EndpointInstance, formatHexId } from "@muster/core/plane";
import type { MetricsSettings } from "./config.ts";
import { type HostAndPort, readAuthority } from "./serving-address.ts";
import { fillTemplate, type Placeholder, type TemplateValues } from "./template.ts";

/** Where an endpoint's metrics are, as its metadata takes it. */
export type MetricsInit = NonNullable<EndpointMetadataInit["metrics"]>;

const unpolled: MetricsInit = Object.freeze({ enabled: false });

/**
 * Where the metrics of a record's endpoint are: where the record says itself, else what the templates
 * make of it, else its serving address. An endpoint on NATS is not polled unless one of the first two
 * says where.
 *
 * @throws MusterError DISCOVERY_ENTRY when the record says something that cannot be used, or its names
 * would make another host or path of a template than it allows
 */
export function metricsAddress(
  instance: EndpointInstance,
  serving: HostAndPort | undefined,
  settings: MetricsSettings,
): MetricsInit {
  const { enabled, scheme, address: host, path: template } = settings;
  if (!enabled) return unpolled;
  const own = settings.field === undefined ? undefined : ownAddress(instance, settings.field);
  const values = valuesOf(instance, serving);
  const filled = template === undefined ? undefined : fillPath(template, values);
  const address = own?.address ?? (host === undefined ? serving?.host : fillHost(host, values));
  const port = own?.port ?? settings.port ?? serving?.port;
  const path = own?.path ?? filled;
  const complete = address !== undefined && port !== undefined;
  if (!complete || (template !== undefined && path === undefined)) return unpolled;
  return { scheme: own?.scheme ?? scheme, address, port, path };
}

function valuesOf(instance: EndpointInstance, serving: HostAndPort | undefined): TemplateValues {
  const { namespace, component, endpoint, instanceId } = instance;
  const { host, port } = serving ?? {};
  return { host, port, namespace, component, endpoint, id: formatHexId(instanceId) };
}

/** Names stay within one label of a host name: with a dot they would choose the domain. */
function fillHost(template: string, values: TemplateValues): string | undefined {
  const text = fillTemplate(template, values, (value, name) => {
    if (name === "host" || /^[\w-]{1,63}$/.test(value)) return value;
    throw unusable("address", name, value);
  });
  if (text === undefined || isAddress(text)) return text;
  throw new MusterError(
    "DISCOVERY_ENTRY",
    `metrics.address makes ${formatPlain(text)} of ${template}, which is no host name or address`,
  );
}

/** Names stay within one segment of the path. */
function fillPath(template: string, values: TemplateValues): string | undefined {
  const text = fillTemplate(template, values, (value, name) => {
    // half a character cannot be encoded
    if (/\p{Surrogate}/u.test(value)) throw unusable("path", name, value);
    return encodeURIComponent(value);
  });
  const segments = text?.split("?", 1)[0]?.split("/") ?? [];
  const safe = !segments.includes(".") && !segments.includes("..");
  if (text === undefined || (safe && isRequestPath(text))) return text;
  throw new MusterError(
    "DISCOVERY_ENTRY",
    `metrics.path makes ${formatPlain(text)} of ${template}, which is no path to ask for`,
  );
}

/** What a field of the record says: `host:port` or a URL, with or without a path. */
function ownAddress(instance: EndpointInstance, field: string): MetricsInit | undefined {
  const value = instance.unknownFields.find(([name]) => name === field)?.[1].value;
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : "";
  const [, scheme, authority = "", path] =
    /^(?:(https?):\/\/)?([^/?#]*)(\/.*)?$/is.exec(text) ?? [];
  const target = readAuthority(authority, scheme);
  if (target === undefined || (path !== undefined && !isRequestPath(path)))
    throw new MusterError(
      "DISCOVERY_ENTRY",
      `field ${formatPlain(field)} of the record must be host:port or http://host:port/path, not ${formatPlain(value)}`,
    );
  const lower = scheme?.toLowerCase();
  return {
    scheme: lower === "http" || lower === "https" ? lower : undefined,
    ...{ address: target.host, port: target.port, path },
  };
}

function unusable(key: string, name: Placeholder, value: string): MusterError {
  return new MusterError(
    "DISCOVERY_ENTRY",
    `metrics.${key}: the record's ${name} ${formatPlain(value)} cannot stand for {${name}}`,
  );
}
