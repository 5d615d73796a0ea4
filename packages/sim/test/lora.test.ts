import { createModelServer } from "@muster/sim";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { json, post, sample, until } from "./support.ts";

const base = "meta-llama/Llama-3.1-8B-Instruct";

async function modelIds(url: string): Promise<[string, string | null][]> {
  const { data } = await json(await fetch(`${url}/v1/models`));
  return data.map(({ id, parent }) => [id, parent]);
}

describe("adapters", () => {
  it("are models with the base model as parent, loaded and unloaded while it runs", async () => {
    await using server = createModelServer({ loras: ["sql-lora"], maxLoadedLoras: 2 });
    await server.start();
    expect(await modelIds(server.url)).toEqual([
      [base, null],
      ["sql-lora", base],
    ]);
    const load = (name: unknown): Promise<Response> =>
      post(server, "/v1/load_lora_adapter", { lora_name: name, lora_path: "/adapters/x" });
    const unload = (name: unknown): Promise<Response> =>
      post(server, "/v1/unload_lora_adapter", { lora_name: name });
    expect(await (await load("tweet")).text()).toContain("'tweet' added");
    expect((await load("tweet")).status).toBe(400);
    expect((await load("one-too-many")).status).toBe(400);
    expect((await load("with,comma")).status).toBe(400);
    expect((await load(7)).status).toBe(400);
    expect(await (await unload("sql-lora")).text()).toContain("'sql-lora' removed");
    expect((await unload("sql-lora")).status).toBe(404);
    expect(await modelIds(server.url)).toEqual([
      [base, null],
      ["tweet", base],
    ]);
    const refused = await post(server, "/v1/completions", { model: "sql-lora", prompt: "x" });
    expect(refused.status).toBe(404);
  });

  it("appear in lora_requests_info once used, newest last seen, and vanish with a restart", async () => {
    const clock = createFakeClock({ now: 1_757_999_880_000 });
    await using server = createModelServer({ loras: ["a", "b"], maxLoras: 1, clock });
    await server.start();
    expect(server.page()).not.toContain("lora_requests_info");
    const body = { prompt: "x", max_tokens: 2, ignore_eos: true };
    const answers = ["a", "b"].map((model) => post(server, "/v1/completions", { model, ...body }));
    await until(() => server.snapshot().totals.requests === 2, "both arrived");
    const { runningLoras, waitingLoras } = server.snapshot();
    expect([...runningLoras, ...waitingLoras].sort()).toEqual(["a", "b"]);
    await clock.advance(20);
    const series = `vllm:lora_requests_info{max_lora="1",running_lora_adapters="${runningLoras}",waiting_lora_adapters="${waitingLoras}"}`;
    expect(sample(server.page(), series)).toBe(1_757_999_880.02);
    expect(server.page()).toContain(`${series} 1.75799988002e+09\n`);
    await clock.advance(2000);
    for (const answer of answers) expect((await answer).status).toBe(200);
    const idle =
      'vllm:lora_requests_info{max_lora="1",running_lora_adapters="",waiting_lora_adapters=""}';
    expect(sample(server.page(), idle)).toBeGreaterThan(1_757_999_880.02);
    server.restart();
    expect(server.page()).not.toContain("lora_requests_info");
    expect(server.snapshot()).toMatchObject({
      restarts: 1,
      loras: ["a", "b"],
      totals: { requests: 0 },
    });
  });

  it("are loaded by SGLang's own routes, and not at all by trtllm-serve", async () => {
    const adapter = { lora_name: "a", lora_path: "/adapters/a" };
    await using sglang = createModelServer({ engine: "sglang" });
    await sglang.start();
    expect((await post(sglang, "/load_lora_adapter", adapter)).status).toBe(200);
    expect((await post(sglang, "/unload_lora_adapter", adapter)).status).toBe(200);
    await using trtllm = createModelServer({ engine: "trtllm-serve" });
    await trtllm.start();
    expect((await post(trtllm, "/v1/load_lora_adapter", adapter)).status).toBe(404);
  });
});

describe("trtllm-serve's /metrics", () => {
  it("answers JSON: an iteration's statistics once, else an empty list", async () => {
    const clock = createFakeClock();
    await using server = createModelServer({ engine: "trtllm-serve", clock });
    await server.start();
    const stats = async (): Promise<unknown> => (await fetch(`${server.url}/metrics`)).json();
    expect(server.metricsPath).toBe("/prometheus/metrics");
    expect(await stats()).toEqual([]);
    const answer = post(server, "/v1/completions", {
      model: base,
      prompt: "x",
      max_tokens: 9,
      ignore_eos: true,
    });
    await until(() => server.snapshot().running === 1, "it runs");
    await clock.advance(40);
    expect(await stats()).toMatchObject([
      {
        numActiveRequests: 1,
        numQueuedRequests: 0,
        kvCacheStats: { usedNumBlocks: 1, tokensPerBlock: 16 },
      },
    ]);
    expect(await stats()).toEqual([]);
    await clock.advance(5000);
    await answer;
  });
});
