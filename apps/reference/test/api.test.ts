import { silentLogger } from "@muster/core";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../src/http/api.ts";
import { type Listening, listen } from "../src/http/listen.ts";
import { registerPoolMetrics } from "../src/telemetry/pool-metrics.ts";
import { type HandFleet, startHandFleet, untilFresh } from "./fleet.ts";
import { fixture, servePage, type TestServer } from "./page-server.ts";
import type { Shown } from "./shapes.ts";

describe("the HTTP API over a running fleet", () => {
  let model: TestServer;
  let hand: HandFleet;
  let server: Listening;

  beforeAll(async () => {
    model = await servePage(fixture("vllm-0.11.0-v1-lora.prom"));
    hand = await startHandFleet();
    hand.add("a", model.port, { zone: "x", __proto__: "y" });
    hand.add("b", model.port, { zone: "z" });
    hand.add("down", 1);
    await untilFresh(hand.fleet, 2);
    const registry = new Registry();
    registerPoolMetrics({ fleet: hand.fleet, registry, pool: "test" });
    const api = createApi({
      fleet: hand.fleet,
      registry,
      logger: silentLogger,
      guard: {},
      signal: new AbortController().signal,
    });
    server = await listen(api, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await server.close(0);
    await hand[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  const get = async (
    path: string,
  ): Promise<{ status: number; type: string | null; body: Shown & string }> => {
    const answer = await fetch(server.url + path);
    const type = answer.headers.get("content-type");
    const text = await answer.text();
    return { status: answer.status, type, body: type?.includes("json") ? JSON.parse(text) : text };
  };

  it("lists endpoints with metadata, metrics, attributes, freshness and owner", async () => {
    const { status, body } = await get("/api/endpoints");
    expect(status).toBe(200);
    expect(body.revision).toMatch(/^[\w]+-\d+$/);
    expect(body.endpoints).toHaveLength(3);
    const a = body.endpoints.find((endpoint) => endpoint.id === "default/a");
    expect(a?.metadata).toMatchObject({
      name: "a",
      namespace: "default",
      port: String(model.port),
    });
    expect(a?.metrics.waitingQueueSize).toEqual(expect.any(Number));
    expect(a?.metrics.kvCacheMaxTokenCapacity).not.toBeUndefined();
    expect(a?.attributes.engine?.engine).toBe("vllm");
    expect(a?.attributes.lora?.active).toEqual(expect.any(Array));
    expect(a?.freshness).toMatchObject({ state: "fresh", errorCode: null, degraded: false });
    expect(a?.owner).toBe("hand-discovery/hand-discovery");
  });

  it("shows unknown as null and why an endpoint cannot be reached", async () => {
    const { body } = await get("/api/endpoints/default/down");
    expect(body.metrics.waitingQueueSize).toBeNull();
    expect(body.freshness.errorCode).toBe("SCRAPE_CONNECT");
  });

  it.each([
    ["state=fresh", ["default/a", "default/b"]],
    ["label=zone=x", ["default/a"]],
    ["state=fresh&label=zone=q", []],
    ["model=no-such-model", []],
  ])("filters by %s", async (query, ids) => {
    const { body } = await get(`/api/endpoints?${query}`);
    expect(body.endpoints.map((endpoint) => endpoint.id).sort()).toEqual(ids);
  });

  it.each([
    ["/api/endpoints?state=happy", 400, "BAD_REQUEST"],
    ["/api/endpoints?stat=fresh", 400, "BAD_REQUEST"],
    ["/api/endpoints/default/nobody", 404, "NOT_FOUND"],
    ["/api/endpoints/__proto__/constructor", 404, "NOT_FOUND"],
    ["/nothing", 404, "NOT_FOUND"],
  ])("answers %s with a problem", async (path, status, code) => {
    const answer = await get(path);
    expect(answer.type).toBe("application/problem+json");
    expect(answer).toMatchObject({ status, body: { status, code } });
    expect(answer.body).toMatchObject({ type: expect.stringContaining("docs/errors.md") });
  });

  it("is healthy and ready", async () => {
    expect(await get("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await get("/readyz")).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
  });

  it("shows the pool's aggregates", async () => {
    const { body } = await get("/metrics");
    expect(body).toContain('muster_ready_endpoints{name="test"} 2');
    expect(body).toMatch(/muster_average_queue_size\{name="test"\} \d/);
    expect(body).toContain('muster_std_dev_queue_size{name="test"} 0');
    expect(body).toMatch(/muster_per_endpoint_queue_size\{name="test",endpoint="default\/a"\} \d/);
  });

  it("serves the page with a policy that allows its own files only", async () => {
    const answer = await fetch(`${server.url}/`);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await answer.text()).toContain("page.js");
    expect((await get("/page.js")).status).toBe(200);
    expect((await get("/page.css")).status).toBe(200);
  });
});
