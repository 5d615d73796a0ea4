import {
  type Discovery,
  type DiscoveryEvent,
  type EndpointInstance,
  EndpointInstanceId,
  type ModelInstance,
  readModelIdentity,
} from "@muster/core/plane";

/** Who serves which model now. */
export interface Roster {
  /** Names of all models, sorted. */
  models(): readonly string[];
  /** Every server of a model that can be reached over HTTP. */
  servers(model: string): readonly URL[];
}

/** Follows a namespace until the signal aborts; resolves when it knows what is there. */
export async function followRoster(
  discovery: Discovery,
  namespace: string,
  signal: AbortSignal,
): Promise<Roster> {
  const endpoints = new Map<string, EndpointInstance>();
  const models = new Map<string, ModelInstance>();
  const follow = async (type: "NamespacedEndpoints" | "NamespacedModels"): Promise<void> => {
    const events = await discovery.listAndWatch({ type, namespace }, { signal });
    await new Promise<void>((resolve, reject) => {
      const apply = (event: DiscoveryEvent): void => {
        if (event.type === "Added" && event.instance.type === "Endpoint")
          endpoints.set(event.instance.id().key, event.instance);
        if (event.type === "Added" && event.instance.type === "Model")
          models.set(event.instance.id().key, event.instance);
        if (event.type === "Removed") {
          endpoints.delete(event.id.key);
          models.delete(event.id.key);
        }
        // the differences to it came before, the first time as everything there is
        if (event.type === "Resync") resolve();
      };
      (async () => {
        for await (const event of events) apply(event);
      })().then(resolve, reject);
    });
  };
  await Promise.all([follow("NamespacedEndpoints"), follow("NamespacedModels")]);
  return {
    models: () => [...new Set([...models.values()].map(nameOf))].sort(),
    servers: (model) =>
      [...models.values()]
        .filter((record) => nameOf(record) === model)
        .flatMap((record) => endpoints.get(new EndpointInstanceId(record).key) ?? [])
        .flatMap(({ transport }) => ("http" in transport ? new URL("/", transport.http) : [])),
  };
}

function nameOf(model: ModelInstance): string {
  return readModelIdentity(model).displayName;
}
