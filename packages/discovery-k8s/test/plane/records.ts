import { type DiscoverySpec, fromModelWithSuffix, hashPodName } from "@muster/core/plane";

/** Endpoint to register. */
export function endpoint(name = "generate", tcp = "10.1.2.3:41234"): DiscoverySpec {
  const place = { namespace: "dynamo", component: "backend", endpoint: name };
  return { type: "Endpoint", ...place, transport: { tcp } };
}

/** Model to register; with a suffix an adapter. */
export function model(
  card: Readonly<Record<string, unknown>>,
  modelSuffix?: string,
): DiscoverySpec {
  const place = { namespace: "dynamo", component: "backend", endpoint: "generate" };
  return fromModelWithSuffix({ ...place, card, modelSuffix });
}

/** Id of a worker's endpoint, as watches name it. */
export function endpointKey(worker: string, name = "generate"): string {
  return `Endpoint:dynamo/backend/${name}/${hashPodName(worker).toString(16)}`;
}

/** What of an endpoint matters to a test. */
export interface EndpointInit {
  readonly name?: string;
  readonly tcp?: string;
}

/** An endpoint as its worker's object has it. */
export function endpointRecord(
  worker: string,
  { name = "generate", tcp = "10.1.2.3:41234" }: EndpointInit = {},
): Readonly<Record<string, unknown>> {
  return {
    type: "Endpoint",
    ...{ namespace: "dynamo", component: "backend", endpoint: name },
    instance_id: Number(hashPodName(worker)),
    transport: { tcp },
  };
}

/** Data of a worker's object with endpoints, by default one; keyed in the old form. */
export function endpointsData(
  worker: string,
  ...endpoints: readonly EndpointInit[]
): { data: Readonly<Record<string, unknown>> } {
  const given = endpoints.length > 0 ? endpoints : [{}];
  const records = given.map((each) => [
    `dynamo/backend/${each.name ?? "generate"}`,
    endpointRecord(worker, each),
  ]);
  return { data: { endpoints: Object.fromEntries(records) } };
}
