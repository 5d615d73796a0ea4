import {
  createAttributes,
  createEndpoint,
  type EndpointSource,
  type NotificationSource,
  typedName,
} from "@muster/core";
import { createWriteHandle } from "@muster/core/dispatch";
import {
  createFakeEndpoint,
  describeAttributeMap,
  describeEndpointSource,
  describeModelServer,
  describeNotificationSource,
} from "@muster/testkit";
import { describe, it } from "vitest";

describe("core's attribute map", () => {
  describeAttributeMap({ describe, it }, { make: () => createAttributes() });
});

describe("the attributes of core's write handle", () => {
  describeAttributeMap(
    { describe, it },
    { make: () => createWriteHandle(createFakeEndpoint()).endpoint.attributes },
  );
});

describe("core's endpoint", () => {
  describeModelServer({ describe, it }, { make: (metadata) => createEndpoint(metadata) });
});

describe("the plainest event sources", () => {
  const endpoints: EndpointSource = {
    typedName: typedName("plain-endpoint-source"),
    variant: "endpoint",
    notifyEndpoint: (event) => event,
  };
  describeEndpointSource({ describe, it }, { make: () => endpoints });

  const pods: NotificationSource = {
    typedName: typedName("plain-notification-source"),
    variant: "notification",
    gvk: { group: "", version: "v1", kind: "Pod" },
    notify: async (event) => event,
  };
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "b" } };
  describeNotificationSource({ describe, it }, { make: () => pods, objects: [object] });
});
