import { describe, expect, it } from "vitest";
import { loadNatsClient } from "./client.ts";
import type { NatsStoreConfig, NatsStoreSettings } from "./config.ts";
import { createNatsStore, natsConfigSchema } from "./index.ts";

const read = (config: NatsStoreConfig) => natsConfigSchema["~standard"].validate(config);

describe("the configuration of a NATS store", () => {
  it("has defaults", () => {
    expect(read({ servers: "nats://a:4222, b ,[::1]:4222" })).toEqual({
      value: {
        ...{ servers: ["nats://a:4222", "b", "[::1]:4222"], namespace: "muster" },
        ...{ ttl: 10_000, requestTimeout: 5000, storage: "file", replicas: 1 },
      },
    });
  });

  it.each([
    [{ servers: ["tls://a"] }, {}],
    [{ servers: "a", tls: true }, {}],
    [{ servers: "a", tls: { caPath: "ca.pem" } }, { caPath: "ca.pem" }],
    [{ servers: "a", tls: false }, undefined],
    [{ servers: "a" }, undefined],
  ])("takes %j for TLS %j", (config, tls) => {
    const { value } = read(config) as { value: NatsStoreSettings };
    expect(value.tls).toEqual(tls);
  });

  it.each<[string, NatsStoreConfig, RegExp]>([
    ["no server", { servers: "" }, /at least one server/],
    ["credentials in a URL", { servers: "nats://u:p@a:4222" }, /settings of their own/],
    ["another scheme", { servers: "http://a" }, /must be nats:/],
    ["no servers", {} as never, /servers: must be nats:.* or a list of them/],
    ["a port past the last", { servers: "nats://a:70000" }, /the port must be 1 to 65535/],
    ["a namespace with dots", { servers: "a", namespace: "a.b" }, /namespace: must be letters/],
    ["a short ttl", { servers: "a", ttl: "10ms" }, /ttl: must be a duration/],
    ["half a login", { servers: "a", username: "u" }, /given together/],
    ["two logins", { servers: "a", token: "t", nkeySeed: "s" }, /exclude each other/],
    ["contradictions", { servers: "tls://a", tls: false }, /demands it/],
    ["the id 0", { servers: "a", connectionId: 0n }, /connectionId/],
    ["a path for PEM", { servers: "a", tls: { ca: "ca.pem" } }, /tls\.ca: must be PEM/],
    ["an unknown key", { servers: "a", bucket: "b" } as never, /bucket/],
  ])("refuses %s", (_, config, message) => {
    const code = "STORE_CONFIG";
    expect(() => createNatsStore(config)).toThrow(expect.objectContaining({ code }));
    expect(() => createNatsStore(config)).toThrow(message);
  });

  it("names the packages to install when the client is not there", async () => {
    const cause = new Error("Cannot find package '@nats-io/transport-node'");
    await expect(loadNatsClient(() => Promise.reject(cause))).rejects.toMatchObject({
      code: "STORE_CLIENT",
      message: expect.stringContaining("npm install @nats-io/transport-node @nats-io/jetstream"),
      cause,
    });
  });
});
