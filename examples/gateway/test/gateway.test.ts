import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fileDiscovery from "@muster/discovery-file";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime, type Fleet } from "@muster/runtime";
import { createModelServer, type ModelServerSim } from "@muster/sim";
import prometheus from "@muster/source-prometheus";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { forward } from "../src/forward.ts";
import { pick } from "../src/pick.ts";

const model = "example/model";

let folder: string;
let servers: ModelServerSim[];
let fleet: Fleet;
let gateway: Server;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-gateway-"));
  servers = [0, 1].map((seed) => createModelServer({ engine: "vllm", model, port: 0, seed }));
  await Promise.all(servers.map((server) => server.start()));
  const entries = servers.map(({ port }, index) => ({
    name: `s${index}`,
    address: "127.0.0.1",
    port,
  }));
  const path = join(folder, "endpoints.yaml");
  writeFileSync(path, JSON.stringify({ endpoints: entries }));
  fleet = createRuntime({
    discovery: [fileDiscovery.create({ path })],
    sources: [
      { source: prometheus.create({ interval: "50ms" }), extractors: [coreMetrics.create()] },
    ],
  });
  await fleet.start();
  gateway = createServer(forward(fleet.endpoints));
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});

afterEach(async () => {
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
  await fleet.stop();
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
});

function complete(target: string, maxTokens: number, signal?: AbortSignal): Promise<Response> {
  return fetch(`${target}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model,
      prompt: "hello",
      max_tokens: maxTokens,
      stream: maxTokens > 100,
    }),
    ...(signal && { signal }),
  });
}

it("passes a request to a model server and its answer back", async () => {
  const answer = await complete(url, 4);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-served-by")).toMatch(/^default\/s[01]$/);
  expect(await answer.json()).toMatchObject({ object: "text_completion" });
});

it("avoids the server that is busy", async () => {
  const controller = new AbortController();
  const busy = servers[0]?.url ?? "";
  const answers = [1, 2, 3].map(() => complete(busy, 2000, controller.signal));
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
  await vi.waitFor(() => expect(pick(fleet.endpoints)?.id).toBe("default/s1"), 4000);
  expect((await complete(url, 4)).headers.get("x-served-by")).toBe("default/s1");
  controller.abort();
});

it("goes on without a server that died, and says so when none is left", async () => {
  await servers[0]?.stop();
  await vi.waitFor(() => expect(fleet.endpoints.list({ state: "fresh" }).length).toBe(1), 10_000);
  expect((await complete(url, 4)).headers.get("x-served-by")).toBe("default/s1");
  await servers[1]?.stop();
  await vi.waitFor(() => expect(fleet.endpoints.list({ state: "fresh" }).length).toBe(0), 10_000);
  const answer = await complete(url, 4);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { status: 503, detail: "no model server is fresh" },
  ]);
}, 20_000);
