import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEndpointMetadata } from "@muster/core";
import { createFleet, type FleetOptions } from "@muster/sim";
import { describe, expect, it } from "vitest";
import { rawGet, until } from "./support.ts";

describe("a fleet", () => {
  it("names its servers, gives each its own seed, and lists them as endpoints", async () => {
    await using fleet = createFleet({
      servers: [
        {},
        { engine: "sglang", labels: { pool: "b" } },
        {},
        { engine: "trtllm-serve", name: "last" },
      ],
    });
    await fleet.start();
    expect([...fleet.servers.keys()]).toEqual(["vllm-0", "sglang-0", "vllm-1", "last"]);
    const entries = fleet.endpoints();
    expect(entries[1]).toEqual({
      name: "sglang-0",
      address: "127.0.0.1",
      port: fleet.servers.get("sglang-0")?.port,
      labels: { "llm-d.ai/engine-type": "sglang", pool: "b" },
      metrics: { path: "/metrics" },
    });
    for (const entry of entries) {
      const { metricsHost, metrics } = createEndpointMetadata(entry);
      const page = await rawGet(`http://${metricsHost}${metrics.path}`);
      expect(page.status).toBe(200);
      expect(page.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    }
  });

  it("kills, revives and restarts single servers", async () => {
    await using fleet = createFleet({ servers: [{}, {}] });
    await fleet.start();
    const url = fleet.servers.get("vllm-0")?.url;
    await fleet.kill("vllm-0");
    await expect(rawGet(`${url}/health`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect((await rawGet(`${fleet.servers.get("vllm-1")?.url}/health`)).status).toBe(200);
    await fleet.revive("vllm-0");
    expect((await rawGet(`${url}/health`)).status).toBe(200);
    fleet.restart("vllm-1");
    expect(fleet.servers.get("vllm-1")?.snapshot().restarts).toBe(1);
    await expect(fleet.kill("vllm-9")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: 'the fleet has no server "vllm-9"; it has vllm-0, vllm-1',
    });
  });

  it("leaves nothing running when one server cannot start", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await until(() => other.listening, "the port is taken");
    const { port } = other.address() as AddressInfo;
    const fleet = createFleet({ servers: [{}, { port }] });
    await expect(fleet.start()).rejects.toMatchObject({ code: "PORT_IN_USE" });
    expect([...fleet.servers.values()].map(({ state }) => state)).toEqual(["stopped", "stopped"]);
    await new Promise((resolve) => other.close(resolve));
  });

  it("refuses options that make no sense", () => {
    const make = (options: object): unknown => createFleet(options as FleetOptions);
    expect(() => make({ servers: [] })).toThrow(/servers must be a list of at least one/);
    expect(() => make({ servers: [{ name: "a" }, { name: "a" }] })).toThrow(
      /servers\[1\].name repeats "a"/,
    );
    expect(() => make({ servers: [{ engine: "x" }] })).toThrow(/engine must be one of/);
    expect(() => make({ servers: [{}], sead: 1 })).toThrow(/sead is not known/);
  });
});
