import { describe, expect, it } from "vitest";
import {
  type DiscoveryInstanceId,
  DiscoveryMetadata,
  type DiscoveryQuery,
  decodeInstance,
  encodeInstance,
  eventSubject,
  formatHexId,
  hashPodName,
  idFromKey,
  parseHexId,
  planeBuckets,
  queryRange,
} from "../../src/plane/index.ts";
import { decodeSegment, encodeSegment } from "../../src/plane/path-segment.ts";
import { hashes, hexIds, ids, keys, metadata, records, segments } from "./vectors.ts";

const codeOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "nothing was thrown";
};

describe("records", () => {
  it.each(records)("$name", ({ given, written = given, id: [type, path], instanceId }) => {
    const instance = decodeInstance(given);
    expect(instance.type).toBe(type);
    expect(instance.id().toPath()).toBe(path);
    expect(instance.instanceId).toBe(instanceId);
    expect(instance.id().instanceId).toBe(instanceId);
    expect(encodeInstance(instance)).toBe(written);
    expect(encodeInstance(decodeInstance(written))).toBe(written);
    expect(decodeInstance(written).id().key).toBe(instance.id().key);
  });
});

describe("ids", () => {
  it.each(ids)("%s", (json, type, path) => {
    expect(idFromKey(type, path).toJson()).toBe(json);
    expect(idFromKey(type, path).toPath()).toBe(path);
  });

  it.each(keys)("the key %s", (key, type) => {
    const bucket = planeBuckets[type];
    const relative = key.slice(bucket.length + 1);
    expect(key.startsWith(`${bucket}/`)).toBe(true);
    expect(`${bucket}/${idFromKey(type, relative).toPath()}`).toBe(key);
  });

  it.each(hexIds)("the hexadecimal id %j", (text, id) => {
    expect(parseHexId(text)).toBe(id);
    for (const type of ["Endpoint", "Model"] as const) {
      const parse = (): DiscoveryInstanceId => idFromKey(type, `n/c/e/${text}`);
      if (id === undefined) expect(codeOf(parse)).toBe("PLANE_PATH");
      else expect(parse().instanceId).toBe(id);
    }
  });

  it("are written in lower case and without padding", () => {
    expect(formatHexId(0n)).toBe("0");
    expect(formatHexId(0xabcn)).toBe("abc");
    expect(idFromKey("Endpoint", "n/c/e/+00AB").toPath()).toBe("n/c/e/ab");
  });
});

describe("paths", () => {
  it.each([
    ["Endpoint", "n/c/e", 3],
    ["Endpoint", "n/c/e/1/s", 5],
    ["Endpoint", "", 1],
    ["Model", "n/c/e", 3],
    ["Model", "n/c/e/1/s/t", 6],
    ["EventSource", "n/c/t/12", 4],
    ["EventSource", "namespace/n/component/topic/t/12", 6],
    ["EventChannel", "namespace/n/component/c/endpoint/e/topic/t/12/x", 10],
  ] as const)("%s %s has %i parts", (type, path, parts) => {
    expect(codeOf(() => idFromKey(type, path))).toBe("PLANE_PATH");
    expect(() => idFromKey(type, path)).toThrow(`got ${parts}`);
  });

  it.each([
    "namespaces/n/topic/t/12",
    "namespace/n/topics/t/12",
    "namespace/n/endpoint/c/topic/t/12",
    "namespace/n/component/c/component/e/topic/t/12",
    "namespace/n/topic/t/xyz",
    "namespace/a.b/topic/t/12",
    "namespace/a%2fb/topic/t/12",
    "namespace/%41/topic/t/12",
    "namespace/%2/topic/t/12",
    "namespace/%FF/topic/t/12",
  ])("%s is no event path", (path) => {
    expect(codeOf(() => idFromKey("EventChannel", path))).toBe("PLANE_PATH");
    expect(codeOf(() => idFromKey("EventSource", path))).toBe("PLANE_PATH");
  });

  it.each(segments)("the segment %j", (text, encoded) => {
    expect(encodeSegment(text)).toBe(encoded);
    expect(decodeSegment(encoded)).toBe(text);
  });

  it("with an empty suffix mean none", () => {
    expect(idFromKey("Model", "n/c/e/12/").toPath()).toBe("n/c/e/12");
  });

  it("of event channels from before scopes are read", () => {
    const id = (path: string): string => idFromKey("EventChannel", path).toPath();
    expect(id("n/c/t/12")).toBe("namespace/n/component/c/topic/t/12");
    expect(id("n//t/12")).toBe("namespace/n/topic/t/12");
  });
});

describe("prefixes of queries", () => {
  const component = { kind: "component", namespace: "a.b", component: "c" } as const;
  it.each<[DiscoveryQuery, string, string]>([
    [{ type: "AllEndpoints" }, "v1/instances", ""],
    [{ type: "NamespacedEndpoints", namespace: "n" }, "v1/instances", "n"],
    [{ type: "ComponentEndpoints", namespace: "n", component: "c" }, "v1/instances", "n/c"],
    [{ type: "Endpoint", namespace: "n", component: "c", endpoint: "e" }, "v1/instances", "n/c/e"],
    [{ type: "AllModels" }, "v1/mdc", ""],
    [{ type: "NamespacedModels", namespace: "n" }, "v1/mdc", "n"],
    [{ type: "ComponentModels", namespace: "n", component: "c" }, "v1/mdc", "n/c"],
    [{ type: "EndpointModels", namespace: "n", component: "c", endpoint: "e" }, "v1/mdc", "n/c/e"],
    [{ type: "EventChannels" }, "v1/event_channels", ""],
    [{ type: "EventChannels", topic: "t" }, "v1/event_channels", ""],
    [
      { type: "EventChannels", scope: component },
      "v1/event_channels",
      "namespace/a%2Eb/component/c",
    ],
    [
      { type: "EventSources", scope: { kind: "namespace", name: "n" }, topic: "t.u" },
      "v1/event_sources",
      "namespace/n/topic/t%2Eu",
    ],
  ])("%j", (query, bucket, prefix) => {
    expect(queryRange(query)).toMatchObject({ bucket, prefix });
  });

  it("subjects of events are encoded the same way", () => {
    const endpoint = { namespace: "n", component: "c", name: "a.b" };
    const subject = eventSubject({ kind: "endpoint", endpoint }, "kv-events");
    expect(subject).toBe("namespace.n.component.c.endpoint.a%2Eb.kv-events");
  });
});

describe("hashPodName", () => {
  it.each(hashes)("%j", (name, decimal, hex) => {
    expect(hashPodName(name)).toBe(decimal);
    expect(formatHexId(hashPodName(name))).toBe(hex);
  });
});

describe("metadata", () => {
  it("is written to the byte", () => {
    const first = records[1]?.given ?? "";
    const registered = new DiscoveryMetadata();
    registered.registerEndpoint(decodeInstance(first));
    expect(registered.toJson()).toBe(metadata);
    expect(DiscoveryMetadata.fromJson(metadata).toJson()).toBe(metadata);
  });
});
