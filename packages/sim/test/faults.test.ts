import { gunzipSync } from "node:zlib";
import { createModelServer, type FaultInput, type ModelServerSim } from "@muster/sim";
import { createFakeClock } from "@muster/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { json, post, rawGet, sample, until } from "./support.ts";

const running =
  'vllm:num_requests_running{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"}';

describe("faults on the metrics page", () => {
  let server: ModelServerSim;
  beforeEach(async () => {
    server = createModelServer();
    await server.start();
  });
  afterEach(() => server.stop());
  const scrape = (fault: FaultInput): ReturnType<typeof rawGet> => {
    server.setFault(fault);
    return rawGet(`${server.url}/metrics`);
  };

  it("500, 401 and status answer with the status", async () => {
    expect(await scrape({ kind: "500" })).toMatchObject({ status: 500 });
    const refused = await scrape({ kind: "401" });
    expect(refused).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    expect(await scrape({ kind: "status", status: 503 })).toMatchObject({ status: 503 });
  });

  it("redirect sends elsewhere", async () => {
    const location = "http://127.0.0.2:1/metrics";
    const answer = await scrape({ kind: "redirect", location });
    expect(answer).toMatchObject({ status: 302, headers: { location } });
    expect(await scrape({ kind: "redirect", location, status: 308 })).toMatchObject({
      status: 308,
    });
  });

  it("reset breaks the connection before an answer", async () => {
    await expect(scrape({ kind: "reset" })).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("truncated promises more than it sends", async () => {
    const answer = await scrape({ kind: "truncated" });
    expect(answer).toMatchObject({ status: 200, complete: false });
    expect(Number(answer.headers["content-length"])).toBeGreaterThan(answer.body.length);
    expect(answer.body.length).toBeGreaterThan(0);
  });

  it("huge sends as much as it is told", async () => {
    const { body, complete } = await scrape({ kind: "huge", bytes: 3_000_000 });
    expect(complete).toBe(true);
    expect(body.length).toBeGreaterThanOrEqual(3_000_000);
    expect(body.length).toBeLessThan(3_000_100);
  });

  it("gzip-bomb is small on the wire", async () => {
    const { body, headers } = await scrape({ kind: "gzip-bomb", bytes: 20_000_000 });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(body.length).toBeLessThan(200_000);
    expect(gunzipSync(body).length).toBeGreaterThanOrEqual(20_000_000);
  });

  it("nan makes every gauge NaN and leaves counters", async () => {
    const page = (await scrape({ kind: "nan" })).body.toString();
    expect(sample(page, running)).toBeNaN();
    expect(sample(page, running.replace("num_requests_running", "prompt_tokens_total"))).toBe(0);
  });

  it("html and content-type say 200 and are no metrics page", async () => {
    const login = await scrape({ kind: "html" });
    expect(login.headers["content-type"]).toContain("text/html");
    expect(login.body.toString()).toContain("<html>");
    const wrong = await scrape({ kind: "content-type", contentType: "application/json" });
    expect(wrong.headers["content-type"]).toBe("application/json");
    expect(wrong.body.toString()).toBe(server.page());
  });

  it("freeze shows the page as it was", async () => {
    const before = (await scrape({ kind: "freeze" })).body.toString();
    await post(server, "/v1/completions", { model: server.model, prompt: "x", max_tokens: 1 });
    expect((await rawGet(`${server.url}/metrics`)).body.toString()).toBe(before);
    server.clearFault("freeze");
    expect((await rawGet(`${server.url}/metrics`)).body.toString()).not.toBe(before);
  });

  it("hang gives no answer until it is cleared, then breaks", async () => {
    server.setFault({ kind: "hang" });
    let settled = false;
    const answer = rawGet(`${server.url}/metrics`).finally(() => {
      settled = true;
    });
    const outcome = expect(answer).rejects.toMatchObject({ code: "ECONNRESET" });
    expect((await rawGet(`${server.url}/health`)).status).toBe(200);
    expect(settled).toBe(false);
    server.clearFault();
    await outcome;
  });

  it("count ends a fault by itself; the last one wins; other routes are spared", async () => {
    server.setFault({ kind: "html" });
    expect(await scrape({ kind: "500", count: 2 })).toMatchObject({ status: 500 });
    expect(server.faults()).toMatchObject([{ kind: "html" }, { kind: "status", count: 1 }]);
    expect((await rawGet(`${server.url}/health`)).status).toBe(200);
    expect((await rawGet(`${server.url}/metrics`)).status).toBe(500);
    expect((await rawGet(`${server.url}/metrics`)).headers["content-type"]).toContain("html");
  });

  it("restart drops connections and counters", async () => {
    await post(server, "/v1/completions", { model: server.model, prompt: "x", max_tokens: 1 });
    const body = { model: server.model, prompt: "x", max_tokens: 4000, ignore_eos: true };
    const dropped = expect(post(server, "/v1/completions", body)).rejects.toThrow();
    await until(() => server.snapshot().running === 1, "it runs");
    const response = await post(server, "/sim/faults", { kind: "restart" });
    expect([response.status, await response.json()]).toEqual([200, { faults: [] }]);
    await dropped;
    expect(server.snapshot()).toMatchObject({ running: 0, restarts: 1, totals: { requests: 0 } });
    expect((await rawGet(`${server.url}/metrics`)).status).toBe(200);
  });
});

describe("faults that take time", () => {
  it("latency and slow-body follow the clock", async () => {
    const clock = createFakeClock();
    await using server = createModelServer({ clock });
    await server.start();
    server.setFault({ kind: "latency", ms: 500 });
    server.setFault({ kind: "slow-body", bytesPerSecond: 100_000 });
    let answered = false;
    const answer = rawGet(`${server.url}/metrics`).finally(() => {
      answered = true;
    });
    await until(() => clock.pending === 1, "the request is held");
    await clock.advance(499);
    expect([clock.pending, answered]).toEqual([1, false]);
    await clock.advance(1);
    await clock.advance(300);
    expect([clock.pending, answered]).toEqual([1, false]);
    await clock.advance(300);
    expect((await answer).body.toString()).toBe(server.page());
    expect(clock.pending).toBe(0);
  });

  it("end with the client, or with the server", async () => {
    const clock = createFakeClock();
    const server = createModelServer({ clock });
    await server.start();
    server.setFault({ kind: "latency", ms: 1000, target: "all" });
    const gone = new AbortController();
    const first = expect(fetch(`${server.url}/health`, { signal: gone.signal })).rejects.toThrow();
    await until(() => clock.pending === 1, "the request is held");
    gone.abort();
    await first;
    await until(() => clock.pending === 0, "the delay is cancelled");
    const second = expect(rawGet(`${server.url}/health`)).rejects.toThrow();
    await until(() => clock.pending === 1, "the request is held");
    await server.stop();
    await second;
    await until(() => clock.pending === 0, "the delay is cancelled");
  });
});

describe("the admin routes", () => {
  it("set, list and clear faults, for every route when asked", async () => {
    await using server = createModelServer();
    await server.start();
    const admin = (init?: RequestInit, query = ""): Promise<Response> =>
      fetch(`${server.url}/sim/faults${query}`, init);
    await post(server, "/sim/faults", { kind: "500", target: "all" });
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(500);
    await post(server, "/sim/faults", { kind: "latency", ms: 0 });
    const faults = [
      { kind: "status", target: "all", count: null, status: 500 },
      { kind: "latency", target: "metrics", count: null, ms: 0 },
    ];
    expect(await (await admin()).json()).toEqual({ faults });
    expect((await admin({ method: "DELETE" }, "?kind=hang")).status).toBe(404);
    expect(await (await admin({ method: "DELETE" }, "?kind=status")).json()).toEqual({
      faults: [faults[1]],
    });
    expect(await (await admin({ method: "DELETE" })).json()).toEqual({ faults: [] });
    const state = await (await fetch(`${server.url}/sim/state`)).json();
    expect(state).toMatchObject({ engine: "vllm", running: 0, ranks: [{ kvUsage: 0 }] });
  });

  it("refuse what is no fault, saying what is wrong", async () => {
    await using server = createModelServer();
    await server.start();
    const refusals: [unknown, RegExp][] = [
      [{}, /kind is missing/],
      [{ kind: "explode" }, /kind must be one of hang, .* not "explode"/],
      [{ kind: "latency", ms: -1 }, /ms must be a number from 0 to 3600000, not -1/],
      [{ kind: "hang", ms: 5 }, /ms is not known/],
      [{ kind: "redirect" }, /location must be/],
      [{ kind: "redirect", location: "/x\r\nset-cookie: a" }, /location must be/],
      [{ kind: "nan", target: "all" }, /target cannot be "all" for nan/],
      [{ kind: "hang", count: 0 }, /count must be/],
      [JSON.parse('{"kind":"hang","__proto__":1}'), /__proto__ is not known/],
    ];
    for (const [fault, message] of refusals) {
      const response = await post(server, "/sim/faults", fault);
      expect(response.status).toBe(400);
      expect((await json(response)).error.message).toMatch(message);
    }
    expect(server.faults()).toEqual([]);
  });

  it("are off where other machines can reach the server, unless asked for", async () => {
    await using server = createModelServer({ admin: false });
    await server.start();
    expect((await fetch(`${server.url}/sim/faults`)).status).toBe(404);
  });
});
