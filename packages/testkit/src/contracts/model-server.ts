import {
  attributeKey,
  cloneEndpointMetadata,
  createEndpointMetadata,
  type EndpointMetadata,
  type ModelServer,
} from "@muster/core";
import type { TestApi } from "./test-api.ts";
import { verify, verifyEqual, verifyFails } from "./verify.ts";

/** What {@link describeModelServer} needs. */
export interface ModelServerHarness {
  /** A new endpoint of which only the metadata is known. */
  make(metadata: EndpointMetadata): ModelServer;
}

const metadata: EndpointMetadata = createEndpointMetadata({
  name: "server-1",
  namespace: "testkit",
  address: "192.0.2.1",
  port: 8000,
});
const note = attributeKey<string>("testkit-note");

/** The contract of an endpoint that can be read, written and cloned. */
export function describeModelServer({ describe, it }: TestApi, harness: ModelServerHarness): void {
  describe("model server", () => {
    metricsTests(it, harness);
    metadataTests(it, harness);
  });
}

type Tests = (it: TestApi["it"], harness: ModelServerHarness) => void;

const metricsTests: Tests = (it, harness) => {
  it("starts with its metadata, unknown metrics and no attributes", async () => {
    const server = harness.make(metadata);
    verifyEqual(server.id, "testkit/server-1", "id");
    verify(server.metadata === metadata, "metadata must be the value given");
    verify(server.metrics.waitingQueueSize === undefined, "unknown must be undefined, never 0");
    verify(server.metrics.updateTime === undefined, "updateTime must be undefined at first");
    verifyEqual(server.attributes.keys(), [], "attribute keys");
  });

  it("merges metrics: fields that are not in a patch stay", async () => {
    const server = harness.make(metadata);
    server.updateMetrics({ waitingQueueSize: 3 });
    server.updateMetrics({ runningRequestsSize: 2 });
    const { waitingQueueSize, runningRequestsSize, readAt } = server.metrics;
    verifyEqual([waitingQueueSize, runningRequestsSize], [3, 2], "metrics");
    verifyEqual(Object.keys(readAt), ["waitingQueueSize", "runningRequestsSize"], "readAt");
  });

  it("replaces metrics as a whole value, so a reader keeps a consistent one", async () => {
    const server = harness.make(metadata);
    server.updateMetrics({ waitingQueueSize: 1 });
    const before = server.metrics;
    server.updateMetrics({ waitingQueueSize: 2 });
    verifyEqual(before.waitingQueueSize, 1, "the value a reader holds");
    verify(Object.isFrozen(before), "metrics must be frozen");
  });

  it("leaves metrics alone for an empty patch", async () => {
    const server = harness.make(metadata);
    server.updateMetrics({ waitingQueueSize: 1 });
    const before = server.metrics;
    server.updateMetrics({});
    verify(server.metrics === before, "updateTime moves only if something was updated");
  });

  it("refuses metrics that are negative or not finite, and stores nothing of that write", async () => {
    const server = harness.make(metadata);
    for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      const patch = { runningRequestsSize: 1, waitingQueueSize: value };
      await verifyFails(() => server.updateMetrics(patch), `writing ${value}`, "METRICS_INVALID");
    }
    verify(server.metrics.updateTime === undefined, "a refused write must change nothing");
  });
};

const metadataTests: Tests = (it, harness) => {
  it("replaces metadata and keeps metrics and attributes", async () => {
    const server = harness.make(metadata);
    server.updateMetrics({ waitingQueueSize: 1 });
    server.attributes.put(note, "kept");
    server.updateMetadata(cloneEndpointMetadata(metadata, { port: 9000 }));
    verifyEqual(server.metadata.port, "9000", "port");
    verifyEqual(server.metrics.waitingQueueSize, 1, "metrics");
    verifyEqual(server.attributes.get(note), "kept", "attribute");
  });

  it("refuses the metadata of another endpoint", async () => {
    const server = harness.make(metadata);
    const stranger = cloneEndpointMetadata(metadata, { name: "server-2" });
    await verifyFails(() => server.updateMetadata(stranger), "update", "ENDPOINT_INVALID");
    verify(server.metadata === metadata, "metadata must be unchanged");
  });

  it("clones into an independent endpoint with the same values", async () => {
    const server = harness.make(metadata);
    server.updateMetrics({ waitingQueueSize: 1 });
    server.attributes.put(note, "both");
    const copy = server.clone();
    copy.updateMetrics({ waitingQueueSize: 2 });
    copy.attributes.put(note, "copy");
    verifyEqual(server.metrics.waitingQueueSize, 1, "metrics of the original");
    verifyEqual(server.attributes.get(note), "both", "attribute of the original");
    verifyEqual([copy.id, copy.metadata], [server.id, server.metadata], "identity of the copy");
  });

  it("prints itself with its id", async () => {
    const text = harness.make(metadata).toString();
    verify(text.includes("testkit/server-1"), `toString() must name the endpoint, got "${text}"`);
  });
};
