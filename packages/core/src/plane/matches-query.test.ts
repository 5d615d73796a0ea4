import { describe, expect, it } from "vitest";
import { decodeInstance } from "./decode-instance.ts";
import type { DiscoveryQuery } from "./discovery-query.ts";
import type { EventScope } from "./event-types.ts";
import { fromModel } from "./from-model.ts";
import { matchesQuery } from "./matches-query.ts";
import { withInstanceId } from "./with-instance-id.ts";

const names = { namespace: "ns1", component: "c1", endpoint: "e1" };
const endpoint = withInstanceId({ type: "Endpoint", ...names, transport: { tcp: "h:1" } }, 1n);
const model = withInstanceId(fromModel({ ...names, card: {} }), 1n);
const component: EventScope = { kind: "component", namespace: "ns1", component: "c1" };
const channel = decodeInstance(
  `{"type":"EventChannel","scope":{"kind":"component","namespace":"ns1","component":"c1"},"topic":"t","instance_id":1,"transport":{"kind":"Zmq","config":{"endpoint":"e"}}}`,
);

const endpointQueries: readonly [DiscoveryQuery, boolean][] = [
  [{ type: "AllEndpoints" }, true],
  [{ type: "NamespacedEndpoints", namespace: "ns1" }, true],
  [{ type: "NamespacedEndpoints", namespace: "ns" }, false],
  [{ type: "NamespacedEndpoints", namespace: "ns10" }, false],
  [{ type: "ComponentEndpoints", namespace: "ns1", component: "c1" }, true],
  [{ type: "ComponentEndpoints", namespace: "ns1", component: "c" }, false],
  [{ type: "ComponentEndpoints", namespace: "ns", component: "c1" }, false],
  [{ type: "Endpoint", ...names }, true],
  [{ type: "Endpoint", ...names, endpoint: "e" }, false],
  [{ type: "Endpoint", ...names, endpoint: "e10" }, false],
];

describe("matchesQuery", () => {
  it.each(endpointQueries)("an endpoint, %j: %s", (query, expected) => {
    expect(matchesQuery(query, endpoint)).toBe(expected);
    expect(matchesQuery(query, endpoint.id())).toBe(expected);
    expect(matchesQuery(query, model)).toBe(false);
    expect(matchesQuery(query, channel)).toBe(false);
  });

  it.each<[DiscoveryQuery, boolean]>([
    [{ type: "AllModels" }, true],
    [{ type: "NamespacedModels", namespace: "ns1" }, true],
    [{ type: "NamespacedModels", namespace: "ns10" }, false],
    [{ type: "ComponentModels", namespace: "ns1", component: "c1" }, true],
    [{ type: "EndpointModels", ...names }, true],
    [{ type: "EndpointModels", ...names, endpoint: "e" }, false],
  ])("a model, %j: %s", (query, expected) => {
    expect(matchesQuery(query, model)).toBe(expected);
    expect(matchesQuery(query, endpoint)).toBe(false);
  });

  it.each<[DiscoveryQuery, boolean]>([
    [{ type: "EventChannels" }, true],
    [{ type: "EventSources" }, false],
    [{ type: "EventChannels", topic: "t" }, true],
    [{ type: "EventChannels", topic: "tt" }, false],
    [{ type: "EventChannels", scope: component }, true],
    [{ type: "EventChannels", scope: component, topic: "u" }, false],
    [{ type: "EventChannels", scope: { kind: "namespace", name: "ns1" } }, false],
    [
      {
        type: "EventChannels",
        scope: { kind: "endpoint", endpoint: { namespace: "ns1", component: "c1", name: "e" } },
      },
      false,
    ],
  ])("an event channel, %j: %s", (query, expected) => {
    expect(matchesQuery(query, channel)).toBe(expected);
    expect(matchesQuery(query, channel.id())).toBe(expected);
  });
});
