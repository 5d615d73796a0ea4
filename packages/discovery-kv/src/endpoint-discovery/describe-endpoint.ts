import { createEndpointMetadata, type EndpointMetadata, toMusterError } from "@muster/core";
import { type EndpointInstance, formatHexId } from "@muster/core/plane";
import type { KvEndpointsSettings } from "./config.ts";
import { type MetricsInit, metricsAddress } from "./metrics-address.ts";
import { type HostAndPort, servingAddress } from "./serving-address.ts";

/** What an endpoint on NATS has for an address: a name that never resolves (RFC 6761, section 6.4). */
const nowhere: HostAndPort = { host: "nats.invalid", port: "4222" };

/** An endpoint of a record, and what is wrong with the address of its metrics, if anything is. */
export interface DescribedEndpoint {
  readonly metadata: EndpointMetadata;
  readonly problem?: Error | undefined;
}

/**
 * The endpoint of a record: `<namespace>/<component>-<endpoint>-<id hex>`. One whose metrics cannot be
 * located is there all the same, and is not polled.
 *
 * @throws MusterError DISCOVERY_ENTRY or ENDPOINT_INVALID when the record makes no endpoint
 */
export function describeEndpoint(
  instance: EndpointInstance,
  settings: Pick<KvEndpointsSettings, "metrics" | "labels">,
): DescribedEndpoint {
  const { namespace, component, endpoint, deviceType, transport } = instance;
  const id = formatHexId(instance.instanceId);
  const serving = servingAddress(transport);
  const { host, port } = serving ?? nowhere;
  const { metrics, problem } = locateMetrics(instance, serving, settings);
  const metadata = createEndpointMetadata({
    ...{ namespace, name: `${component}-${endpoint}-${id}`, address: host, port, metrics },
    labels: {
      ...settings.labels,
      "muster/namespace": namespace,
      "muster/component": component,
      "muster/endpoint": endpoint,
      "muster/instance-id": id,
      "muster/transport": Object.keys(transport)[0] ?? "",
      ...(deviceType !== undefined && { "muster/device-type": deviceType }),
    },
  });
  return { metadata, problem };
}

function locateMetrics(
  instance: EndpointInstance,
  serving: HostAndPort | undefined,
  settings: Pick<KvEndpointsSettings, "metrics">,
): { metrics: MetricsInit; problem?: Error } {
  try {
    return { metrics: metricsAddress(instance, serving, settings.metrics) };
  } catch (error) {
    const problem = toMusterError(error, "DISCOVERY_ENTRY");
    return { metrics: { enabled: false }, problem };
  }
}
