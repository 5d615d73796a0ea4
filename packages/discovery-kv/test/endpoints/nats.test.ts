import kvDiscovery from "@muster/discovery-kv";
import { createNatsStore } from "@muster/discovery-kv/nats";
import { describeWith, type NatsServer, startNats } from "@muster/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow } from "./following.ts";
import { Registrar, served } from "./records.ts";

const [one, two, three] = [served(1, "10.0.0.1"), served(2, "10.0.0.2"), served(3, "10.0.0.3")];
const patience = { timeout: 20_000, interval: 20 };

describeWith("nats", describe)("the endpoints of a real NATS", () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("are found, followed, and stay as they are while it is away", async () => {
    const servers = server.url;
    await using writer = createNatsStore({ servers });
    const registrar = new Registrar(writer);
    await registrar.set([one, two]);
    const discovery = kvDiscovery.create({ store: { type: "nats", servers }, namespace: "ns" });
    const { found, calls, ready } = follow(discovery);
    await expect.poll(ready, patience).toBe(true);
    const [first, second, third] = [1, 2, 3].map((id) => `ns/backend-generate-${id}`);
    expect([...found.keys()].sort()).toEqual([first, second]);
    await registrar.set([two, three]);
    await expect.poll(() => [...found.keys()].sort(), patience).toEqual([second, third]);
    calls.length = 0;
    await server.kill();
    await expect.poll(() => calls, patience).toContainEqual(expect.stringMatching(/^degraded /));
    expect([...found.keys()].sort()).toEqual([second, third]);
    await server.restart();
    await expect.poll(() => calls.at(-1), patience).toBe("recovered");
    expect(calls.filter((call) => /^[+-]/.test(call))).toEqual([]);
  }, 60_000);
});
