// The discovery plane over every store, and as endpoint discovery: a worker that registers itself shows up in the fleet.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registeredModels } from "@muster/core/attributes";
import { fromModel } from "@muster/core/plane";
import kvDiscovery, { createKvDiscovery, createStore } from "@muster/discovery-kv";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime } from "@muster/runtime";
import { createModelServer } from "@muster/sim";
import prometheus from "@muster/source-prometheus";
import { describeDiscoveryPlane } from "@muster/testkit";
import { stores } from "./stores.mjs";

const place = { namespace: "dynamo", component: "backend", endpoint: "generate" };

export default ({ describe, it }) => {
  for (const [name, { make, largestId }] of Object.entries(stores))
    describe(name, () => {
      const world = async () => {
        const { client, close } = await make();
        return {
          client: async ({ instanceId } = {}) => createKvDiscovery(await client(instanceId)),
          close,
        };
      };
      describeDiscoveryPlane({ describe, it }, { make: world, largestId, patience: 10_000 });
    });

  it("a worker that registers is polled, with its models, and vanishes when it leaves", async () => {
    const root = mkdtempSync(join(tmpdir(), "muster-kv-"));
    const store = { type: "file", root };
    const server = createModelServer({ engine: "vllm", host: "127.0.0.1", port: 0, seed: 1 });
    const fleet = createRuntime({
      discovery: [kvDiscovery.create({ store })],
      sources: [
        { source: prometheus.create({ interval: "100ms" }), extractors: [coreMetrics.create()] },
      ],
    });
    const shows = async (count, filter) => {
      const signal = AbortSignal.timeout(10_000);
      while (fleet.endpoints.list(filter).length !== count) {
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    try {
      await Promise.all([server.start(), fleet.start()]);
      const worker = createKvDiscovery(await createStore(store));
      await worker.register(fromModel({ ...place, card: { display_name: "Qwen/Qwen3-0.6B" } }));
      const transport = { http: `http://127.0.0.1:${server.port}/v1/rpc/generate` };
      await worker.register({ type: "Endpoint", ...place, transport });
      await shows(1, { state: "fresh" });
      const [endpoint] = fleet.endpoints.list();
      assert.equal(endpoint.id, `dynamo/backend-generate-${worker.instanceId.toString(16)}`);
      const models = endpoint.attributes.get(registeredModels);
      assert.match(JSON.stringify(models), /Qwen\/Qwen3-0\.6B/);
      await worker.close();
      await shows(0);
    } finally {
      await Promise.all([fleet.stop(), server.stop()]);
      rmSync(root, { recursive: true, force: true });
    }
  });
};
