import type { Unstructured } from "@muster/core";
import {
  describeDefinition,
  describeEndpointExtractor,
  describeNotificationExtractor,
} from "@muster/testkit";
import { describe, it } from "vitest";
import costExtractor from "../src/index.ts";

const pod = (annotations: Readonly<Record<string, string>> = {}): Unstructured => ({
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: { name: "a", namespace: "b", annotations },
});

describeDefinition(
  { describe, it },
  {
    definition: costExtractor,
    valid: [{}, { annotation: "example.com/price" }],
    invalid: [{ config: { annotation: "" }, path: "annotation" }],
  },
);

describeNotificationExtractor(
  { describe, it },
  {
    make: () => costExtractor.create(),
    events: [
      { type: "AddOrUpdate", object: pod() },
      { type: "AddOrUpdate", object: pod({ "acme.dev/cost-per-hour": "2.5" }) },
      {
        type: "Delete",
        object: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "b" } },
      },
    ],
  },
);

describeEndpointExtractor({ describe, it }, { make: () => costExtractor.create().arrivals() });
