import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createModelServer } from "@muster/sim";
import { describe, expect, it } from "vitest";
import { post, rawGet, until } from "./support.ts";

describe("start and stop", () => {
  it("are idempotent, and a stopped server starts again on its port, from zero", async () => {
    const server = createModelServer();
    expect([server.state, server.port]).toEqual(["idle", 0]);
    await server.stop();
    await Promise.all([server.start(), server.start()]);
    expect(server.state).toBe("running");
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    await post(server, "/v1/completions", { model: server.model, prompt: "x", max_tokens: 1 });
    expect(server.snapshot().totals.requests).toBe(1);
    const { port } = server;
    await Promise.all([server.stop(), server.stop()]);
    expect(server.state).toBe("stopped");
    await expect(rawGet(`${server.url}/health`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    expect([server.state, server.port]).toEqual(["running", port]);
    expect(server.snapshot()).toMatchObject({ restarts: 1, totals: { requests: 0 } });
    await server.stop();
  });

  it("stop breaks off what is under way", async () => {
    const server = createModelServer();
    await server.start();
    const body = { model: server.model, prompt: "x", max_tokens: 4000, ignore_eos: true };
    const plain = expect(post(server, "/v1/completions", body)).rejects.toThrow();
    const streamed = post(server, "/v1/completions", { ...body, stream: true }).then((one) =>
      one.text(),
    );
    const broken = expect(streamed).rejects.toThrow();
    await until(() => server.snapshot().totals.generatedTokens > 1, "both generate");
    await server.stop();
    await Promise.all([plain, broken]);
    expect(server.snapshot()).toMatchObject({ running: 0, usedBlocks: 0 });
  });

  it("name a taken port, and an address that is not here", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await until(() => other.listening, "the port is taken");
    const { port } = other.address() as AddressInfo;
    const server = createModelServer({ port });
    await expect(server.start()).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: expect.stringContaining(`127.0.0.1:${port} is taken`),
    });
    expect(server.state).toBe("stopped");
    await new Promise((resolve) => other.close(resolve));
    await server.start();
    await server.stop();
    const elsewhere = createModelServer({ host: "192.0.2.1" });
    await expect(elsewhere.start()).rejects.toMatchObject({ code: "START_FAILED" });
  });
});

describe("IPv6", () => {
  it("is bracketed in the URL", () => {
    expect(createModelServer({ host: "::1", port: 8000 }).url).toBe("http://[::1]:8000");
  });
});
