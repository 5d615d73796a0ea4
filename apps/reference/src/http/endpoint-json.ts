import { type Freshness, formatTypedName, metricsFields } from "@muster/core";
import type { FleetEndpoint } from "@muster/runtime";

/** JSON data. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** An endpoint as the API shows it: unknown is `null`, a bigint a decimal string. */
export function endpointJson(endpoint: FleetEndpoint): Json {
  const { namespacedName, metrics: target, ...metadata } = endpoint.metadata;
  return {
    id: endpoint.id,
    metadata: plain({
      name: namespacedName.name,
      namespace: namespacedName.namespace,
      ...metadata,
      metrics: {
        scheme: target.scheme,
        address: target.address,
        port: target.port,
        path: target.path,
        enabled: target.enabled,
      },
    }),
    metrics: metricsJson(endpoint.metrics),
    attributes: attributesJson(endpoint.attributes),
    freshness: {
      ...freshnessJson(endpoint.freshness),
      degraded: endpoint.degraded,
      sources: record(
        [...endpoint.sources].map(([name, freshness]) => [name, freshnessJson(freshness)]),
      ),
    },
    owner: formatTypedName(endpoint.owner),
    revision: endpoint.revision,
  };
}

/** All fields of the metrics, with when each was read. */
export function metricsJson(metrics: FleetEndpoint["metrics"]): { [key: string]: Json } {
  const fields = metricsFields.map((field): [string, Json] => [field, plain(metrics[field])]);
  return {
    ...record(fields),
    readAt: plain(metrics.readAt),
    updateTime: metrics.updateTime ?? null,
  };
}

/** Every attribute that has a value now. */
export function attributesJson(attributes: FleetEndpoint["attributes"]): { [key: string]: Json } {
  return record(attributes.keys().map((key) => [key, plain(attributes.get(key))]));
}

function freshnessJson(freshness: Freshness): { [key: string]: Json } {
  const { state, lastSuccess, lastFailure, errorCode, failures } = freshness;
  return {
    state,
    lastSuccess: lastSuccess ?? null,
    lastFailure: lastFailure ?? null,
    errorCode: errorCode ?? null,
    failures,
  };
}

/** Keys are outside text: the record has no prototype, so `__proto__` is only a key. */
function record(entries: readonly (readonly [string, Json])[]): { [key: string]: Json } {
  const result: { [key: string]: Json } = Object.create(null);
  for (const [key, value] of entries) result[key] = value;
  return result;
}

function plain(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object") return typeof value === "boolean" ? value : String(value);
  if (Array.isArray(value)) return value.map(plain);
  return record(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
