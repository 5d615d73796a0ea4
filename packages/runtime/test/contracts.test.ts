import { createEndpointMetadata, typedName } from "@muster/core";
import { createEndpointStore, endpointNotificationSource } from "@muster/runtime";
import {
  describeAttributeMap,
  describeDefinition,
  describeEndpointSource,
  describeEndpointStore,
} from "@muster/testkit";
import { describe, it } from "vitest";

describe("the runtime's store", () => {
  describeEndpointStore(
    { describe, it },
    {
      make: () => {
        const store = createEndpointStore();
        return {
          store: store.owner(typedName("test-discovery")),
          ids: () => store.endpoints.list().map(({ id }) => id),
          get: (id) => store.writer(id),
          close: () => store.close(),
        };
      },
    },
  );

  describeAttributeMap(
    { describe, it },
    {
      make: () => {
        const store = createEndpointStore();
        const metadata = createEndpointMetadata({ name: "a", address: "192.0.2.1", port: 8000 });
        store.owner(typedName("test-discovery")).endpointUpsert(metadata);
        const writer = store.writer("default/a");
        if (writer === undefined) throw new Error("the store lost its endpoint");
        return writer.attributes;
      },
    },
  );
});

describe("endpoint-notification-source", () => {
  describeEndpointSource({ describe, it }, { make: () => endpointNotificationSource.create() });
  describeDefinition(
    { describe, it },
    { definition: endpointNotificationSource, valid: [{}], invalid: [] },
  );
});
