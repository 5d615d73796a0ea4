import type { DiscoveryInstance } from "@muster/core/plane";
import type { KubeResource } from "../api/resource.ts";
import { resourcePath } from "../api/resource.ts";
import { KnownObjects } from "../reflector/known-objects.ts";
import type { KubeObject } from "../reflector/kube-object.ts";
import { listObjects } from "../reflector/list-objects.ts";
import { PendingEvents } from "../reflector/pending-events.ts";
import type { ClusterViewOptions } from "./cluster-view.ts";
import { MetadataTable } from "./metadata-table.ts";
import { parseExact } from "./parse-exact.ts";
import { PublishedRecords } from "./published-records.ts";
import { readinessSources } from "./ready-entries.ts";
import { discoverySelector, workerMetadata } from "./worker-metadata.ts";

/** ms for each page. */
const listTimeout = 30_000;

/**
 * What is published in this moment, read anew.
 *
 * @throws MusterError KUBE_…; the signal's reason when it aborts
 */
export async function readCluster(
  options: ClusterViewOptions,
  signal: AbortSignal,
): Promise<DiscoveryInstance[]> {
  const source = readinessSources[options.mode];
  const records = new PublishedRecords(new MetadataTable(options.skipped), source);
  const [workers, readiness] = await Promise.all([
    objectsOf(options, { resource: workerMetadata, parse: parseExact, signal }),
    objectsOf(options, { resource: source.resource, labelSelector: discoverySelector, signal }),
  ]);
  for (const object of readiness) records.setReadiness(object, true);
  for (const object of workers) records.setWorker(object, true);
  return records.all();
}

interface Listed {
  readonly resource: KubeResource;
  readonly labelSelector?: string;
  readonly parse?: (text: string) => unknown;
  readonly signal: AbortSignal;
}

async function objectsOf(
  { api, namespace }: ClusterViewOptions,
  { resource, labelSelector, parse, signal }: Listed,
): Promise<KubeObject[]> {
  const pending = new PendingEvents<KubeObject>();
  await listObjects({
    api,
    path: resourcePath(resource, { namespace }),
    query: { labelSelector },
    timeout: listTimeout,
    known: new KnownObjects(pending),
    signal,
    parse,
    onMalformed: () => undefined,
  });
  const objects: KubeObject[] = [];
  for (let event = pending.next(); event !== undefined; event = pending.next())
    if (event.type === "Added") objects.push(event.object);
  return objects;
}
