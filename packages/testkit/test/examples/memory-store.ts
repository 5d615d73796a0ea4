import {
  createEndpoint,
  type DiscoveryEndpointStore,
  type EndpointMetadata,
  endpointId,
  equalEndpointMetadata,
  type ModelServer,
  type NamespacedName,
  type UpsertOptions,
} from "@muster/core";
import type { EndpointStoreWorld } from "@muster/testkit";

/** The smallest store that keeps the contract. */
export class MemoryStore implements DiscoveryEndpointStore, EndpointStoreWorld {
  readonly endpoints: Map<string, ModelServer> = new Map();
  readonly #given = new Map<string, string[]>();

  get store(): DiscoveryEndpointStore {
    return this;
  }

  readonly ids = (): string[] => [...this.endpoints.keys()];
  readonly get = (id: string): ModelServer | undefined => this.endpoints.get(id);

  readonly endpointUpsert = (metadata: EndpointMetadata, options?: UpsertOptions): void => {
    const id = endpointId(metadata.namespacedName);
    const server = this.endpoints.get(id) ?? createEndpoint(metadata);
    this.add(server);
    if (!equalEndpointMetadata(server.metadata, metadata)) this.replace(server, metadata);
    this.giveAttributes(server, options?.attributes ?? []);
  };

  readonly endpointDelete = (key: NamespacedName): void => {
    this.endpoints.delete(endpointId(key));
    this.#given.delete(endpointId(key));
  };

  protected add(server: ModelServer): void {
    this.endpoints.set(server.id, server);
  }

  protected replace(server: ModelServer, metadata: EndpointMetadata): void {
    server.updateMetadata(metadata);
  }

  protected giveAttributes(
    server: ModelServer,
    attributes: NonNullable<UpsertOptions["attributes"]>,
  ): void {
    for (const name of this.#given.get(server.id) ?? []) server.attributes.delete(name);
    for (const { key, value } of attributes) server.attributes.put(key, value);
    this.#given.set(
      server.id,
      attributes.map(({ key }) => key.name),
    );
  }
}
