import { EndpointInstance, type EndpointInstanceInit, RawJson } from "@muster/core/plane";
import { describe, expect, it } from "vitest";
import type { MetricsSettings } from "./config.ts";
import { metricsAddress } from "./metrics-address.ts";
import { servingAddress } from "./serving-address.ts";

const record: EndpointInstanceInit = {
  ...{ namespace: "dynamo", component: "backend", endpoint: "generate", instanceId: 0x1fn },
  transport: { tcp: "10.0.0.5:41234/1f/generate" },
};
const nats = { transport: { nats_tcp: "dynamo.backend.generate-1f" } };

function locate(
  metrics: Partial<MetricsSettings>,
  changes: Partial<EndpointInstanceInit> = {},
): unknown {
  const instance = new EndpointInstance({ ...record, ...changes });
  const serving = servingAddress(instance.transport);
  return metricsAddress(instance, serving, { enabled: true, ...metrics });
}

const saying = (value: unknown): Partial<EndpointInstanceInit> => ({
  unknownFields: [["metrics_address", RawJson.of(value)]],
});
const unpolled = { enabled: false };

describe("where metrics are", () => {
  it.each<[string, Partial<MetricsSettings>, unknown]>([
    ["as served", {}, { address: "10.0.0.5", port: "41234" }],
    ["another port", { port: 9090 }, { address: "10.0.0.5", port: 9090 }],
    [
      "all of it",
      {
        scheme: "https",
        address: "{component}.{namespace}.svc",
        port: 1,
        path: "/{endpoint}/{id}",
      },
      { scheme: "https", address: "backend.dynamo.svc", port: 1, path: "/generate/1f" },
    ],
    ["the host in a name", { address: "{host}" }, { address: "10.0.0.5", port: "41234" }],
    ["the port in a path", { path: "/p/{port}" }, expect.objectContaining({ path: "/p/41234" })],
    ["nothing, when off", { enabled: false, port: 1 }, unpolled],
  ])("%s", (_what, metrics, expected) => {
    expect(locate(metrics)).toEqual(expected);
  });

  it("on NATS: nowhere, unless the settings or the record say where", () => {
    expect(locate({}, nats)).toEqual(unpolled);
    expect(locate({ port: 9090 }, nats)).toEqual(unpolled);
    expect(locate({ address: "{host}", port: 9090 }, nats)).toEqual(unpolled);
    expect(locate({ address: "a.svc", port: 9090, path: "/{port}" }, nats)).toEqual(unpolled);
    expect(locate({ address: "{id}.svc" }, nats)).toEqual(unpolled);
    const expected = { address: "w1f.svc", port: 9090 };
    expect(locate({ address: "w{id}.svc", port: 9090 }, nats)).toEqual(expected);
    const metrics = { field: "metrics_address" };
    expect(locate(metrics, { ...nats, ...saying("h:1") })).toEqual({ address: "h", port: "1" });
  });

  it.each<[unknown, unknown]>([
    ["10.0.0.9:9100", { address: "10.0.0.9", port: "9100", path: "/m" }],
    ["[::1]:9100/own", { address: "::1", port: "9100", path: "/own" }],
    ["HTTPS://h:1/x?y", { scheme: "https", address: "h", port: "1", path: "/x?y" }],
  ])("as the record's field %j says, before the settings", (value, expected) => {
    const metrics = { field: "metrics_address", address: "a.svc", port: 7, path: "/m" };
    expect(locate(metrics, saying(value))).toEqual(expected);
    expect(locate(metrics)).toEqual({ address: "a.svc", port: 7, path: "/m" });
  });

  it.each<unknown>([
    9090,
    null,
    "",
    "h",
    "h:0",
    "ftp://h:1",
    "h:1?x",
    "h:1/a b",
    "http://u@h:1/",
    "http://a:1@evil:2/",
    "h:1/\r\nx: y",
  ])("refuses the record's field %j", (value) => {
    expect(() => locate({ field: "metrics_address" }, saying(value))).toThrow(
      expect.objectContaining({ code: "DISCOVERY_ENTRY" }),
    );
  });
});

describe("a hostile record stays within the template", () => {
  it.each<[Partial<EndpointInstanceInit>, Partial<MetricsSettings>]>([
    [{ component: "evil.com" }, { address: "{component}.svc" }],
    [{ component: "x.evil.com" }, { address: "metrics-{component}" }],
    [{ component: "evil:80" }, { address: "{component}" }],
    [{ component: "u@evil" }, { address: "{component}" }],
    [{ component: "" }, { address: "{component}" }],
    [{ component: "-" }, { address: "{component}.svc" }],
    [{ component: "1" }, { address: "10.0.{component}" }],
    [{ component: "a".repeat(64) }, { address: "{component}.svc" }],
    [{ component: "evil%00" }, { address: "{component}" }],
    [{ transport: { tcp: "[::1]:1/x" } }, { address: "m-{host}" }],
    [{ endpoint: ".." }, { path: "/a/{endpoint}/metrics" }],
    [{ endpoint: "." }, { path: "/{endpoint}{endpoint}/metrics" }],
    [{ endpoint: "a\ud800" }, { path: "/{endpoint}" }],
    [{ endpoint: "a".repeat(2100) }, { path: "/{endpoint}" }],
  ])("%j in %j is refused", (changes, metrics) => {
    expect(() => locate(metrics, changes)).toThrow(
      expect.objectContaining({ code: "DISCOVERY_ENTRY" }),
    );
  });

  it("is only text in a path: no query, fragment or further segment of its own", () => {
    const path = (endpoint: string): unknown => locate({ path: "/{endpoint}/m" }, { endpoint });
    const found = (text: string): unknown => expect.objectContaining({ path: text });
    expect(path("a?b=c&d#e")).toEqual(found("/a%3Fb%3Dc%26d%23e/m"));
    expect(path("%2e%2e\\..")).toEqual(found("/%252e%252e%5C../m"));
    expect(path("\r\nhost: evil")).toEqual(found("/%0D%0Ahost%3A%20evil/m"));
    expect(path("{host}$&")).toEqual(found("/%7Bhost%7D%24%26/m"));
  });
});
