import { request } from "node:http";
import { silentLogger } from "@muster/core";
import { createRuntime } from "@muster/runtime";
import { Registry } from "prom-client";
import { afterEach, describe, expect, it } from "vitest";
import { createApi } from "../src/http/api.ts";
import type { GuardOptions } from "../src/http/guard.ts";
import { type Listening, listen } from "../src/http/listen.ts";

describe("who may ask", () => {
  let server: Listening | undefined;
  afterEach(() => server?.close(0));

  const start = async (guard: GuardOptions): Promise<string> => {
    const fleet = createRuntime({});
    const options = { fleet, registry: new Registry(), logger: silentLogger, guard };
    const api = createApi({ ...options, signal: new AbortController().signal });
    server = await listen(api, { host: "127.0.0.1", port: 0 });
    return server.url;
  };
  const status = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(url, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .once("error", reject)
        .end();
    });

  it("asks for the token on everything but health, readiness and the page", async () => {
    const url = await start({ token: "secret" });
    expect(await status(`${url}/api/endpoints`, {})).toBe(401);
    expect(await status(`${url}/api/endpoints`, { authorization: "Bearer wrong" })).toBe(401);
    expect(await status(`${url}/api/endpoints`, { authorization: "Bearer secret" })).toBe(200);
    expect(await status(`${url}/metrics`, {})).toBe(401);
    expect(await status(`${url}/api/watch`, {})).toBe(401);
    expect(await status(`${url}/healthz`, {})).toBe(200);
    expect(await status(`${url}/`, {})).toBe(200);
  });

  it("leaves /metrics open when told so", async () => {
    const url = await start({ token: "secret", openMetrics: true });
    expect(await status(`${url}/metrics`, {})).toBe(200);
  });

  it("answers to loopback names only when there is no token", async () => {
    const url = await start({});
    expect(await status(`${url}/api/endpoints`, { host: "evil.example" })).toBe(403);
    expect(await status(`${url}/api/endpoints`, { host: "localhost:7700" })).toBe(200);
    expect(await status(`${url}/api/endpoints`, { host: "[::1]:7700" })).toBe(200);
  });

  it("names a port that is taken and how to give another", async () => {
    const url = await start({});
    const port = Number(new URL(url).port);
    const fleet = createRuntime({});
    const options = { fleet, registry: new Registry(), logger: silentLogger, guard: {} };
    const api = createApi({ ...options, signal: new AbortController().signal });
    await expect(listen(api, { host: "127.0.0.1", port })).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: expect.stringContaining(`port ${port} is in use`),
    });
  });
});
