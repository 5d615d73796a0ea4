import { describe, expect, it } from "vitest";
import { attributeKey } from "./attribute-map.ts";
import { createEndpoint, type ModelServer } from "./endpoint.ts";
import { cloneEndpointMetadata, createEndpointMetadata } from "./endpoint-metadata.ts";

const metadata = createEndpointMetadata({ name: "pod-rank-1", address: "10.0.0.1", port: 8001 });
const make = (): ModelServer => createEndpoint(metadata, { now: () => 1234 });

describe("createEndpoint", () => {
  it("section 1: is keyed by its namespaced name, printed namespace/name", () => {
    expect(make().id).toBe("default/pod-rank-1");
  });

  it("stamps metrics with its clock, and lets two writers each keep their fields", () => {
    const server = make();
    server.updateMetrics({ waitingQueueSize: 1 });
    server.updateMetrics({ maxActiveModels: 4 });
    expect(server.metrics).toMatchObject({
      waitingQueueSize: 1,
      maxActiveModels: 4,
      updateTime: 1234,
      readAt: { waitingQueueSize: 1234, maxActiveModels: 1234 },
    });
  });

  it("section 1: clone is deep", () => {
    const note = attributeKey<string>("note");
    const server = make();
    server.attributes.put(note, "one");
    const copy = server.clone();
    copy.attributes.put(note, "two");
    copy.updateMetrics({ waitingQueueSize: 9 });
    copy.updateMetadata(cloneEndpointMetadata(metadata, { port: 1 }));
    expect(server.attributes.get(note)).toBe("one");
    expect(server.metrics.waitingQueueSize).toBeUndefined();
    expect(server.metadata).toBe(metadata);
  });

  it("section 5: replaces metadata in place, never by another endpoint's", () => {
    const server = make();
    const next = cloneEndpointMetadata(metadata, { labels: { zone: "a" } });
    server.updateMetadata(next);
    expect(server.metadata).toBe(next);
    const stranger = cloneEndpointMetadata(metadata, { namespace: "other" });
    expect(() => server.updateMetadata(stranger)).toThrow(
      expect.objectContaining({ code: "ENDPOINT_INVALID" }),
    );
  });

  it("prints id, address and known metrics on one line", () => {
    const server = make();
    expect(String(server)).toBe("default/pod-rank-1 (10.0.0.1:8001) unknown");
    server.updateMetrics({ waitingQueueSize: 2 });
    expect(String(server)).toBe("default/pod-rank-1 (10.0.0.1:8001) waitingQueueSize=2");
  });
});
