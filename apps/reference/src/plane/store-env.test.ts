import { describe, expect, it } from "vitest";
import { connectTimeoutOf, resolveStore } from "./store-env.ts";

describe("resolveStore", () => {
  it.each([
    [
      { ETCD_ENDPOINTS: "http://a:1, https://b:2" },
      { type: "etcd", endpoints: ["http://a:1", "https://b:2"] },
    ],
    [{ DYN_DISCOVERY_BACKEND: "etcd" }, { type: "etcd", endpoints: ["http://localhost:2379"] }],
    [{ DYN_DISCOVERY_BACKEND: "kv_store" }, { type: "etcd", endpoints: ["http://localhost:2379"] }],
    [
      { DYN_DISCOVERY_BACKEND: "kv_store", DYN_FILE_KV: "/d" },
      { type: "file", root: "/d" },
    ],
    [{ DYN_FILE_KV: "/d" }, { type: "file", root: "/d" }],
    [
      { DYN_DISCOVERY_BACKEND: "file", ETCD_ENDPOINTS: "http://a:1", DYN_FILE_KV: "/d" },
      { type: "file", root: "/d" },
    ],
    [
      { DYN_DISCOVERY_BACKEND: "nats", NATS_SERVER: "nats://n:4222, nats://m" },
      { type: "nats", servers: ["nats://n:4222", "nats://m:4222"] },
    ],
  ])("takes the store of %j", (env, config) => {
    expect(resolveStore(undefined, env)).toEqual(config);
  });

  it("has the original's default folder", () => {
    expect(resolveStore(undefined, { DYN_DISCOVERY_BACKEND: "file" })).toEqual({
      type: "file",
      root: expect.stringMatching(/dynamo_store_kv$/),
    });
  });

  it("takes from the environment what the URL leaves open", () => {
    const env = {
      ...{ ETCD_AUTH_USERNAME: "u", ETCD_AUTH_PASSWORD: "p", ETCD_LEASE_TTL: "60" },
      ...{
        ETCD_AUTH_CA: "/ca.pem",
        ETCD_AUTH_CLIENT_CERT: "-----BEGIN CERTIFICATE-----",
        ETCD_AUTH_CLIENT_KEY: "/key.pem",
      },
      ...{ ETCD_ENDPOINTS: "http://elsewhere:1" },
    };
    const tls = { caPath: "/ca.pem", cert: "-----BEGIN CERTIFICATE-----", keyPath: "/key.pem" };
    expect(resolveStore("etcds://h", env)).toEqual({
      ...{ type: "etcd", endpoints: ["https://h:2379"], tls },
      ...{ username: "u", password: "p", ttl: "60s" },
    });
    expect(resolveStore("etcd://x:y@h?ttl=5s", env)).toMatchObject({
      username: "x",
      password: "y",
      ttl: "5s",
    });
    expect(resolveStore("etcd://h", env)).not.toHaveProperty("tls");
    expect(resolveStore("file:///d", env)).toEqual({ type: "file", root: "/d" });
  });

  it.each(["0", "-1", "ten", "1.5", ""])(
    "takes the default for ETCD_LEASE_TTL=%j, as the original",
    (ttl) => {
      expect(resolveStore("etcd://h", { ETCD_LEASE_TTL: ttl })).not.toHaveProperty("ttl");
    },
  );

  it.each([
    ["kubernetes", /etcd, file or nats stores only/],
    ["mem", /memory store/],
    ["zookeeper", /use etcd, file or nats/],
  ])("refuses DYN_DISCOVERY_BACKEND=%s", (backend, message) => {
    expect(() => resolveStore(undefined, { DYN_DISCOVERY_BACKEND: backend })).toThrow(
      expect.objectContaining({ code: "STORE_CONFIG", message: expect.stringMatching(message) }),
    );
  });

  it("says how to name a store where nothing does", () => {
    expect(() => resolveStore(undefined, { NATS_SERVER: "nats://n:1" })).toThrow(
      expect.objectContaining({
        code: "USAGE",
        message: expect.stringMatching(/--store .*ETCD_ENDPOINTS/),
      }),
    );
  });
});

describe("connectTimeoutOf", () => {
  it("reads seconds, 120 by default, and says what is wrong", () => {
    expect(connectTimeoutOf({})).toBe(120_000);
    expect(connectTimeoutOf({ ETCD_STARTUP_CONNECT_TIMEOUT_SECONDS: "5" })).toBe(5000);
    expect(() => connectTimeoutOf({ ETCD_STARTUP_CONNECT_TIMEOUT_SECONDS: "soon" })).toThrow(
      /ETCD_STARTUP_CONNECT_TIMEOUT_SECONDS=soon/,
    );
  });
});
