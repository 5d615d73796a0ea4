import { describe, expect, it } from "vitest";
import { describeStore, parseStoreUrl } from "./store-url.ts";

describe("parseStoreUrl", () => {
  it.each([
    ["file:///tmp/dynamo_store_kv", { type: "file", root: "/tmp/dynamo_store_kv" }],
    ["FILE:///a%20b/%23c", { type: "file", root: "/a b/#c" }],
    [
      "file:///d?ttl=30s&poll-interval=500ms",
      { type: "file", root: "/d", ttl: "30s", pollInterval: "500ms" },
    ],
    ["etcd://h", { type: "etcd", endpoints: ["http://h:2379"] }],
    [
      "etcd://a:1,b:2,[::1]:3/",
      { type: "etcd", endpoints: ["http://a:1", "http://b:2", "http://[::1]:3"] },
    ],
    [
      "etcds://a.example:2379?ttl=1m",
      { type: "etcd", endpoints: ["https://a.example:2379"], ttl: "1m" },
    ],
    [
      "etcd://root:p%40ss%3A%2F@h:2379?timeout=2s",
      {
        ...{ type: "etcd", endpoints: ["http://h:2379"], requestTimeout: "2s" },
        ...{ username: "root", password: "p@ss:/" },
      },
    ],
    ["nats://a,b:4223", { type: "nats", servers: ["nats://a:4222", "nats://b:4223"] }],
    [
      "tls://u:p@a?bucket=fleet",
      { type: "nats", servers: ["tls://a:4222"], username: "u", password: "p", namespace: "fleet" },
    ],
  ])("reads %s", (url, config) => {
    expect(parseStoreUrl(url)).toEqual(config);
  });

  it.each([
    ["", /write file:\/\/\/dir, etcd:/],
    ["/tmp/store", /none of the schemes/],
    ["redis://h", /none of the schemes/],
    ["__proto__://h", /none of the schemes/],
    ["file://host/dir", /three slashes/],
    ["file:///", /three slashes/],
    ["file:///a%2Fb", /cannot be read/],
    ["file:///d#x", /fragment/],
    ["file:///d?timeout=1s", /"timeout" that file does not take; it takes ttl, poll-interval/],
    ["file:///d?__proto__=1s", /does not take/],
    ["file:///d?ttl=30", /ttl=30s/],
    ["file:///d?ttl=0s", /ttl=30s/],
    ["file:///d?ttl=1s&ttl=2s", /twice/],
    ["etcd://", /"" where host:port belongs/],
    ["etcd://a:1,", /"" where host:port belongs/],
    ["etcd://a:0", /"a:0" where/],
    ["etcd://a:65536", /where host:port belongs/],
    ["etcd://a:", /"a:" where/],
    ["etcd://::1:2379", /brackets/],
    ["etcd://[127.0.0.1]:2379", /where host:port belongs/],
    ["etcd://h:1/v1/instances", /path/],
    ["etcd://root@h:1", /both a user and a password/],
    [`etcd://${"a".repeat(5000)}`, /longer than 4096/],
  ])("refuses %j", (url, message) => {
    expect(() => parseStoreUrl(url)).toThrow(
      expect.objectContaining({ code: "STORE_URL", message: expect.stringMatching(message) }),
    );
  });

  it.each([
    "etcd://root:s3cret@h:x",
    "etcd://root:s3cr%zz@h:1",
    "x://root:s3cret@h",
    "etcd://u:s3@s3cret@h:1?a=1",
    "etcd://u:s3/cret@h:1",
    "etcd://u:s3?cret@h:1",
    "nats://u:s3#cret@h:1",
    "etcd://h:1?password=s3cret",
  ])("never gives a password back: %s", (url) => {
    expect(() => parseStoreUrl(url)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("s3") }),
    );
  });

  it("names a store without its credentials", () => {
    expect(describeStore(parseStoreUrl("etcd://u:p@a:1,b:2"))).toBe("etcd at a:1, b:2");
    expect(describeStore(parseStoreUrl("file:///d"))).toBe("file store /d");
    expect(describeStore({ type: "etcd", endpoints: ["http://u:p@h:1"] })).toBe("etcd at h:1");
  });
});
