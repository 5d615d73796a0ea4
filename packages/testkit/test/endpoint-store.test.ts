import type { EndpointMetadata, ModelServer } from "@muster/core";
import { createEndpoint } from "@muster/core";
import { describeEndpointStore } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./collect.ts";
import { MemoryStore } from "./examples/memory-store.ts";

describeEndpointStore({ describe, it }, { make: () => new MemoryStore() });

const replaces = "replaces metadata in place: same endpoint, its metrics and attributes kept";
const givesAttributes = "keeps a discovery's attributes until it stops giving them";
const model = "equals a model after any history of calls in order";

class NewEndpointOnChange extends MemoryStore {
  protected override replace(server: ModelServer, metadata: EndpointMetadata): void {
    this.endpoints.set(server.id, createEndpoint(metadata));
  }
}

class IgnoresChange extends MemoryStore {
  protected override replace(): void {}
}

class KeepsAttributesForever extends MemoryStore {
  protected override giveAttributes(
    server: ModelServer,
    attributes: Parameters<MemoryStore["giveAttributes"]>[1],
  ): void {
    for (const { key, value } of attributes) server.attributes.put(key, value);
  }
}

class NeverDeletes extends MemoryStore {
  override readonly endpointDelete = (): void => undefined;
}

class Late extends MemoryStore {
  protected override add(server: ModelServer): void {
    queueMicrotask(() => super.add(server));
  }
}

describe("the endpoint store suite fails a store that", () => {
  it.each([
    ["makes a new endpoint of changed metadata", NewEndpointOnChange, replaces],
    ["ignores changed metadata", IgnoresChange, replaces],
    ["never takes attributes back", KeepsAttributesForever, givesAttributes],
    ["never deletes", NeverDeletes, model],
    ["applies calls later", Late, "adds an endpoint it does not know"],
  ])("%s", async (_what, Broken, test) => {
    const failures = await failuresOf((api) =>
      describeEndpointStore(api, { make: () => new Broken() }),
    );
    expect(failures).toContain(test);
  });
});
