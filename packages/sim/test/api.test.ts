import { createModelServer, type ModelServerSim } from "@muster/sim";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiAnswer, json, post, rawGet, sample, until } from "./support.ts";

const fast = {
  prefillTokensPerSecond: 1e6,
  decodeTokensPerSecond: 1e4,
  batchTokensPerSecond: 1e6,
  stepInterval: 1,
};
const messages = [{ role: "user", content: "What is a fleet?" }];

describe("completions", () => {
  let server: ModelServerSim;
  beforeAll(async () => {
    server = createModelServer({ ...fast, maxBodyBytes: 10_000 });
    await server.start();
  });
  afterAll(() => server.stop());

  it("answers a chat with JSON, and counts what it did", async () => {
    const body = { model: server.model, messages, max_tokens: 7, ignore_eos: true };
    const response = await post(server, "/v1/chat/completions", body);
    expect(response.status).toBe(200);
    const answer = await json(response);
    expect(answer).toMatchObject({
      object: "chat.completion",
      model: server.model,
      choices: [{ index: 0, message: { role: "assistant" }, finish_reason: "length" }],
      usage: { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 },
    });
    expect(answer.id).toMatch(/^chatcmpl-[0-9a-f]{32}$/);
    expect(answer.choices[0]?.message.content.trim().split(" ")).toHaveLength(7);
    const labels = `{engine="0",model_name="${server.model}"}`;
    const page = (await rawGet(server.url + server.metricsPath)).body.toString();
    expect(sample(page, `vllm:prompt_tokens_total${labels}`)).toBe(8);
    expect(sample(page, `vllm:generation_tokens_total${labels}`)).toBe(7);
    expect(sample(page, `vllm:time_to_first_token_seconds_count${labels}`)).toBe(1);
    expect(sample(page, `vllm:e2e_request_latency_seconds_count${labels}`)).toBe(1);
    const ended = `vllm:request_success_total{engine="0",finished_reason="length",model_name="${server.model}"}`;
    expect(sample(page, ended)).toBe(1);
    const counted =
      'http_requests_total{handler="/v1/chat/completions",method="POST",status="2xx"}';
    expect(sample(page, counted)).toBe(1);
  });

  it("streams a chat as events, with the usage when it is asked for", async () => {
    const options = { stream: true, stream_options: { include_usage: true } };
    const body = { model: server.model, messages, max_tokens: 3, ignore_eos: true, ...options };
    const response = await post(server, "/v1/chat/completions", body);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const events = (await response.text()).trimEnd().split("\n\n");
    expect(events.at(-1)).toBe("data: [DONE]");
    const chunks = events
      .slice(0, -1)
      .map((event): ApiAnswer => JSON.parse(event.slice("data: ".length)));
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    expect(text.trim().split(" ")).toHaveLength(3);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("length");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it("completes a text or token ids, streamed or not", async () => {
    const whole = await post(server, "/v1/completions", { model: server.model, prompt: [1, 2, 3] });
    const answer = await json(whole);
    expect(answer).toMatchObject({ object: "text_completion", usage: { prompt_tokens: 3 } });
    expect(answer.usage.completion_tokens).toBeLessThanOrEqual(16);
    const body = { model: server.model, prompt: "four", stream: true, max_tokens: 2 };
    const streamed = await (await post(server, "/v1/completions", body)).text();
    expect(streamed).toContain('"text":" ');
    expect(streamed).not.toContain('"usage"');
    expect(streamed).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("refuses what is wrong, in OpenAI's form", async () => {
    const { model } = server;
    const refusals: [unknown, number, string | null][] = [
      ["{not json", 400, null],
      [[], 400, null],
      [{ messages }, 400, "model"],
      [{ model, messages: [] }, 400, "messages"],
      [{ model, messages: [{}] }, 400, "messages[0].role"],
      [{ model, messages, max_tokens: 0 }, 400, "max_tokens"],
      [{ model, messages, max_tokens: 100_000 }, 400, "messages"],
      [{ model, messages, n: 2 }, 400, "n"],
      [{ model, messages, stream: "yes" }, 400, "stream"],
      [{ model: "no-such-model", messages }, 404, "model"],
    ];
    for (const [body, status, param] of refusals) {
      const response = await post(server, "/v1/chat/completions", body);
      const { error } = await json(response);
      expect([response.status, error.code, error.param]).toEqual([status, status, param]);
      expect(error.message.length).toBeGreaterThan(10);
    }
  });

  it("refuses a body that is too large with 413, also one without a length", async () => {
    const large = {
      model: server.model,
      messages: [{ role: "user", content: "x".repeat(10_000) }],
    };
    expect((await post(server, "/v1/chat/completions", large)).status).toBe(413);
    const chunks = new Blob([JSON.stringify(large)]).stream();
    const init = { method: "POST", body: chunks, duplex: "half" } as const;
    expect((await fetch(`${server.url}/v1/chat/completions`, init)).status).toBe(413);
  });

  it("answers the small routes, and 404 elsewhere", async () => {
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(await (await fetch(`${server.url}/version`)).json()).toEqual({ version: "main-2026" });
    const missing = await fetch(`${server.url}/nothing`);
    expect([missing.status, (await json(missing)).error.type]).toEqual([404, "NotFoundError"]);
    expect((await fetch(server.url + server.metricsPath, { method: "POST" })).status).toBe(405);
    expect((await fetch(server.url + server.metricsPath, { method: "HEAD" })).status).toBe(200);
  });
});

describe("the queue over HTTP", () => {
  it("answers 503 when it is full", async () => {
    await using server = createModelServer({ maxRunning: 1, maxWaiting: 1 });
    await server.start();
    const body = { model: server.model, prompt: "x", max_tokens: 4000, ignore_eos: true };
    const held = [post(server, "/v1/completions", body), post(server, "/v1/completions", body)];
    const outcome = Promise.allSettled(held);
    await until(() => server.snapshot().waiting === 1, "one waits");
    const refused = await post(server, "/v1/completions", body);
    expect([refused.status, (await json(refused)).error.code]).toEqual([503, 503]);
    await server.stop();
    await outcome;
  });

  it("takes vLLM's header for the rank, and shows ranks on the page", async () => {
    await using server = createModelServer({ ranks: 2 });
    await server.start();
    const call = (rank: string, signal: AbortSignal | null = null): Promise<Response> =>
      fetch(`${server.url}/v1/completions`, {
        method: "POST",
        headers: { "x-data-parallel-rank": rank },
        body: JSON.stringify({
          model: server.model,
          prompt: "x",
          max_tokens: 4000,
          ignore_eos: true,
        }),
        signal,
      });
    const gone = new AbortController();
    const held = Promise.allSettled([call("1", gone.signal), call("1", gone.signal)]);
    await until(() => server.snapshot().running === 2, "both run");
    const labels = (rank: number): string => `{engine="${rank}",model_name="${server.model}"}`;
    expect(sample(server.page(), `vllm:num_requests_running${labels(0)}`)).toBe(0);
    expect(sample(server.page(), `vllm:num_requests_running${labels(1)}`)).toBe(2);
    expect((await call("2")).status).toBe(400);
    gone.abort();
    await held;
  });
});

describe("a client that goes away", () => {
  for (const stream of [true, false])
    it(`frees its place (${stream ? "streaming" : "waiting for JSON"})`, async () => {
      await using server = createModelServer({ maxRunning: 1 });
      await server.start();
      const gone = new AbortController();
      const body = JSON.stringify({
        model: server.model,
        messages,
        max_tokens: 4000,
        ignore_eos: true,
        stream,
      });
      const init = { method: "POST", body, signal: gone.signal };
      const answer = fetch(`${server.url}/v1/chat/completions`, init).then((one) => one.text());
      const outcome = answer.catch((error: Error) => error.name);
      await until(() => server.snapshot().totals.generatedTokens > 0, "it generates");
      gone.abort();
      expect(await outcome).toBe("AbortError");
      await until(() => server.snapshot().running === 0, "its place is free");
      expect(server.snapshot()).toMatchObject({ usedBlocks: 0, totals: { abort: 1 } });
    });
});
