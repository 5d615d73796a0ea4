import { describe, expect, it } from "vitest";
import { readConfig } from "../read-config.ts";
import { type EtcdStoreConfig, etcdConfigSchema } from "./config.ts";

const read = (config: EtcdStoreConfig) => readConfig("etcd store", etcdConfigSchema, config);

describe("the configuration of an etcd store", () => {
  it("fills in defaults", () => {
    expect(read({ endpoints: "localhost" })).toEqual({
      endpoints: [{ secure: false, host: "localhost", port: 2379, url: "http://localhost:2379" }],
      tls: {},
      ttl: 10_000,
      leaseLoss: "recover",
      requestTimeout: 5000,
    });
  });

  it.each<[EtcdStoreConfig["endpoints"], EtcdStoreConfig["tls"], string[]]>([
    [" http://a:1 ,b:2,, https://c/ ", undefined, ["http://a:1", "http://b:2", "https://c:2379"]],
    ["a,https://b:443", true, ["https://a:2379", "https://b:443"]],
    [["[::1]:5", "http://[fe80::1]"], undefined, ["http://[::1]:5", "http://[fe80::1]:2379"]],
  ])("reads endpoints %j", (endpoints, tls, urls) => {
    expect(read({ endpoints, tls }).endpoints.map(({ url }) => url)).toEqual(urls);
  });

  const pem = "-----BEGIN CERTIFICATE-----";
  it.each<[string, Record<string, unknown>, RegExp]>([
    ["no endpoint", { endpoints: " , " }, /endpoints: must name at least one/],
    [
      "a password in a URL",
      { endpoints: "http://me:secret@a:1" },
      /endpoints.*settings of their own/,
    ],
    ["a path", { endpoints: ["http://a:1/v3"] }, /endpoints\[0\]: must be http/],
    ["another scheme", { endpoints: "etcd://a:1" }, /endpoints\[0\]: must be http/],
    ["nothing", { endpoints: undefined }, /endpoints: must be http:.* or a list of them/],
    [
      "a port past the last",
      { endpoints: "a:65536" },
      /endpoints\[0\]: the port must be 1 to 65535/,
    ],
    ["port 0", { endpoints: ["a", "http://[::1]:0/"] }, /endpoints\[1\]: the port must be/],
    ["a user without password", { username: "me" }, /username and password/],
    [
      "plain HTTP beside TLS",
      { endpoints: "http://a:1", tls: true },
      /http:\/\/a:1 would not use it/,
    ],
    ["a lifetime too short", { ttl: "500ms" }, /ttl: must be a duration from 1s to 1h/],
    ["a lifetime of half a second more", { ttl: 1500 }, /ttl: must be whole seconds/],
    ["a lease id too large", { leaseId: 2n ** 63n }, /leaseId/],
    ["a lease id of 0", { leaseId: 0n }, /leaseId/],
    ["a key without certificate", { tls: { key: pem } }, /given together/],
    ["text and path", { tls: { ca: pem, caPath: "ca.pem" } }, /exclude each other/],
    ["a path for text", { tls: { ca: "ca.pem" } }, /tls\.ca: must be PEM/],
    ["something unknown", { port: 5 }, /port/],
  ])("refuses %s", (_, config, message) => {
    const given = { endpoints: "a", ...config } as unknown as EtcdStoreConfig;
    expect(() => read(given)).toThrow(message);
    expect(() => read(given)).not.toThrow(/secret/);
  });
});
