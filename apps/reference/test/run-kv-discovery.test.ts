import { describeWith, startEtcd } from "@muster/test-servers";
import { describe, expect, it } from "vitest";
import { fixture, servePage } from "./page-server.ts";
import { runApp, testFolder } from "./running-app.ts";
import type { Shown } from "./shapes.ts";

const config = (endpoint: string): string => `
apiVersion: muster/v1
kind: MusterConfig
interval: 100ms
plugins:
  - type: kv-discovery
    parameters:
      store: { type: etcd, endpoints: "${endpoint}", requestTimeout: 1s }
      namespace: dynamo
      labels: { tier: gold }
discovery: { pluginRef: kv-discovery }
`;
const key = "dynamo/backend/generate/2a";
const record = { namespace: "dynamo", component: "backend", endpoint: "generate", instance_id: 42 };
const id = "dynamo/backend-generate-2a";
const patience = { timeout: 20_000, interval: 50 };

describeWith("etcd", describe)("servers that register themselves", () => {
  it("are waited for, found, polled, and kept while etcd is down", async () => {
    await using folder = await testFolder();
    await using model = await servePage(fixture("vllm-0.11.0-v1.prom"));
    await using etcd = await startEtcd();
    await etcd.stop();
    await using app = await runApp(folder.path, config(etcd.endpoint));
    const readyz = async (): Promise<string> => {
      const answer = await fetch(`${app.url}/readyz`);
      return `${answer.status} ${await answer.text()}`;
    };
    await expect
      .poll(readyz, patience)
      .toMatch(/^503 .*first pass: STORE_UNAVAILABLE: .*ECONNREFUSED/);

    await etcd.restart();
    const transport = { http: `http://127.0.0.1:${model.port}/v1/rpc/generate` };
    const card = { display_name: "Qwen/Qwen3-0.6B", aliases: ["qwen"] };
    const adapter = { display_name: "sql", lora: { name: "sql" } };
    const put = (path: string, value: object): Promise<void> =>
      etcd.put(path, JSON.stringify({ ...value, ...record }));
    await put(`v1/mdc/${key}`, { type: "Model", card_json: card });
    await put(`v1/mdc/${key}/sql`, { type: "Model", card_json: adapter, model_suffix: "sql" });
    await put(`v1/instances/${key}`, { type: "Endpoint", transport });
    await expect.poll(readyz, patience).toMatch(/^200 /);
    await app.until((all) => all.get(id)?.freshness.state === "fresh");
    // the records of its models are in another bucket, and may come a moment later
    const shown = async (): Promise<unknown> => (await app.endpoints()).get(id);
    await expect.poll(shown, patience).toMatchObject({
      metadata: { address: "127.0.0.1", labels: { "muster/component": "backend", tier: "gold" } },
      attributes: {
        "registered-models": {
          models: [{ name: "Qwen/Qwen3-0.6B", aliases: ["qwen"], sourcePath: null }],
          adapters: [{ name: "sql", suffix: "sql" }],
        },
      },
    });
    for (const [name, count] of [
      ["qwen", 1],
      ["sql", 1],
      ["other", 0],
    ] as const) {
      const answer = await fetch(`${app.url}/api/endpoints?model=${name}`);
      expect(((await answer.json()) as Shown).endpoints).toHaveLength(count);
    }

    const degraded = async (): Promise<unknown> =>
      (await app.endpoints()).get(id)?.freshness.degraded;
    await etcd.kill();
    await expect.poll(degraded, patience).toBe(true);
    expect(await readyz()).toMatch(/^200 .*"degraded".*STORE_/);
    await etcd.restart();
    await expect.poll(degraded, patience).toBe(false);
    await etcd.delete(`v1/instances/${key}`);
    await app.until((all) => all.size === 0);
  }, 90_000);
});
