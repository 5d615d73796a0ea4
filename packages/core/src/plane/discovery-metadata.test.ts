import { describe, expect, it } from "vitest";
import { decodeInstance } from "./decode-instance.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { DiscoveryMetadata } from "./discovery-metadata.ts";
import type { SkippedMetadata } from "./metadata-json.ts";
import { MetadataSnapshot } from "./metadata-snapshot.ts";
import { RawJson } from "./raw-json.ts";

const endpointText = (id: number, port = 1): string =>
  `{"type":"Endpoint","component":"c","endpoint":"e","namespace":"n","instance_id":${id},"transport":{"tcp":"h:${port}"}}`;
const modelText = (card: string): string =>
  `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":1,"card_json":${card}}`;
const channelText = (scope: string, more = ""): string =>
  `{"type":"EventChannel","scope":${scope},"topic":"t","instance_id":1,"transport":{"kind":"Zmq","config":{"endpoint":"e"}}${more}}`;
const sourceText = (metadata: string): string =>
  `{"type":"EventSource","scope":{"kind":"namespace","name":"n"},"topic":"t","publisher_id":1,"metadata":${metadata}}`;
const read = (text: string): [DiscoveryMetadata, SkippedMetadata[]] => {
  const skipped: SkippedMetadata[] = [];
  return [DiscoveryMetadata.fromJson(text, (entry) => skipped.push(entry)), skipped];
};
const empty = `{"endpoints":{},"model_cards":{},"event_channels":{},"event_sources":{}}`;

describe("DiscoveryMetadata.fromJson", () => {
  it.each(["{}", `{"endpoints":null,"model_cards":{},"event_channels":null}`, empty])(
    "reads %s as empty",
    (text) => {
      const [metadata, skipped] = read(text);
      expect(metadata.toJson()).toBe(empty);
      expect(skipped).toEqual([]);
    },
  );

  it("takes keys as they are, and who a record is from its value", () => {
    const text = `{"endpoints":{"n/c/e":${endpointText(7)}},"metrics_endpoints":{"x":{}},"future":1}`;
    const [metadata] = read(text);
    expect([...metadata.endpoints.keys()]).toEqual(["n/c/e"]);
    metadata.registerEndpoint(decodeInstance(endpointText(7, 2)));
    expect([...metadata.endpoints.keys()]).toEqual(["n/c/e/7"]);
    metadata.unregisterEndpoint(decodeInstance(endpointText(7, 3)).id());
    expect(metadata.toJson()).toBe(empty);
  });

  it("skips an entry that cannot be read, never its neighbours", () => {
    const bad = `{"type":"VeloPeer"}`;
    const text = `{"endpoints":{"a":${endpointText(1)},"b":${bad},"c":null,"__proto__":${endpointText(2)},"d":${modelText("{}")}},"model_cards":{"e":1,"f":${modelText("{}")}}}`;
    const [metadata, skipped] = read(text);
    expect([...metadata.endpoints.keys()]).toEqual(["a", "__proto__"]);
    expect([...metadata.modelCards.keys()]).toEqual(["f"]);
    expect(skipped.map(({ map, key, problem }) => [map, key, problem.code])).toEqual([
      ["endpoints", "b", "PLANE_RECORD_TYPE"],
      ["endpoints", "c", "PLANE_RECORD"],
      ["endpoints", "d", "PLANE_RECORD"],
      ["model_cards", "e", "PLANE_RECORD"],
    ]);
  });

  it.each([
    ["null", "PLANE_RECORD"],
    ["[]", "PLANE_RECORD"],
    [`{"endpoints":[]}`, "PLANE_RECORD"],
    [`{"endpoints":{}`, "PLANE_JSON"],
  ])("refuses %s as a whole", (text, code) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code }));
    if (code === "PLANE_RECORD")
      expect(() => DiscoveryMetadata.fromJson(RawJson.parse(text))).toThrow();
  });

  it("reads thousands of opaque keys in a moment", () => {
    const entries = Array.from({ length: 20_000 }, (_, id) => `"k${id}":${endpointText(id)}`);
    const [metadata] = read(`{"endpoints":{${entries.join(",")}}}`);
    expect(metadata.filter({ type: "AllEndpoints" })).toHaveLength(20_000);
  });
});

describe("event channels of DiscoveryMetadata", () => {
  it.each([
    [`{"kind":"namespace","name":"n"}`, `,"namespace":"n","component":""`],
    [`{"kind":"component","namespace":"n","component":"c"}`, `,"namespace":"n","component":"c"`],
    [
      `{"kind":"endpoint","endpoint":{"namespace":"n","component":"c","name":"e"}}`,
      `,"namespace":"n","component":"c"`,
    ],
  ])("of %s are written for old readers too", (scope, flat) => {
    const metadata = new DiscoveryMetadata();
    metadata.registerEventChannel(decodeInstance(channelText(scope)));
    const written = metadata.toJson();
    expect(written).toContain(channelText(scope, flat));
    const read = DiscoveryMetadata.fromJson(written);
    expect(read.toJson()).toBe(written);
    expect([...read.eventChannels.values()]).toEqual([decodeInstance(channelText(scope))]);
  });
});

describe("registering with DiscoveryMetadata", () => {
  it("replaces an endpoint", () => {
    const metadata = new DiscoveryMetadata();
    metadata.registerEndpoint(decodeInstance(endpointText(1, 1)));
    metadata.registerEndpoint(decodeInstance(endpointText(1, 2)));
    expect([...metadata.endpoints.values()]).toEqual([decodeInstance(endpointText(1, 2))]);
  });

  it("keeps a model that differs in taints only, and refuses another", () => {
    const metadata = new DiscoveryMetadata();
    const first = decodeInstance(modelText(`{"display_name":"a"}`));
    const taints = `{"display_name":"a","runtime_config":{"taints":["x"]}}`;
    expect(metadata.registerModelCard(first)).toBe(first);
    expect(metadata.registerModelCard(decodeInstance(modelText(taints)))).toBe(first);
    expect(() => metadata.registerModelCard(decodeInstance(modelText(`{"b":1}`)))).toThrow(
      expect.objectContaining({ code: "PLANE_CONFLICT" }),
    );
    metadata.unregisterModelCard(first);
    metadata.unregisterModelCard(first.id());
    expect(metadata.toJson()).toBe(empty);
  });

  it("lets an event source keep its descriptor", () => {
    const metadata = new DiscoveryMetadata();
    metadata.registerEventSource(decodeInstance(sourceText("1")));
    metadata.registerEventSource(decodeInstance(sourceText("1")));
    expect(() => metadata.registerEventSource(decodeInstance(sourceText("2")))).toThrow(
      "Event source incarnation 'namespace/n/topic/t/1' cannot change its descriptor",
    );
    expect(metadata.filter({ type: "EventSources", topic: "t" })).toHaveLength(1);
    metadata.unregisterEventSource(decodeInstance(sourceText("3")));
    metadata.unregisterEventChannel(decodeInstance(channelText(`{"kind":"namespace","name":"n"}`)));
    expect(metadata.toJson()).toBe(empty);
  });

  it("refuses another kind", () => {
    const metadata = new DiscoveryMetadata();
    const endpoint: DiscoveryInstance = decodeInstance(endpointText(1));
    const refused = expect.objectContaining({ code: "PLANE_VARIANT" });
    expect(() => metadata.registerModelCard(endpoint)).toThrow(refused);
    expect(() => metadata.registerEventSource(endpoint)).toThrow(refused);
    expect(() => metadata.registerEventChannel(endpoint)).toThrow(refused);
    expect(() => metadata.unregisterModelCard(endpoint.id())).toThrow(refused);
    expect(() => metadata.registerEndpoint(decodeInstance(modelText("{}")))).toThrow(refused);
  });
});

describe("MetadataSnapshot", () => {
  const snapshot = (generations: [bigint, number][], sequence = 0): MetadataSnapshot => {
    const metadata = DiscoveryMetadata.fromJson(`{"endpoints":{"k":${endpointText(1)}}}`);
    const instances = new Map(generations.map(([id]) => [id, metadata]));
    return new MetadataSnapshot({
      instances,
      generations: new Map(generations),
      sequence,
      timestamp: sequence,
    });
  };

  it.each<[[bigint, number][], boolean]>([
    [[[1n, 1]], false],
    [[[1n, 2]], true],
    [[], true],
    [[[2n, 1]], true],
    [
      [
        [1n, 1],
        [2n, 1],
      ],
      true,
    ],
  ])("has changed to %o: %s", (generations, changed) => {
    expect(snapshot(generations, 5).hasChangesFrom(snapshot([[1n, 1]]))).toBe(changed);
  });

  it("filters over all instances", () => {
    const all = snapshot([
      [1n, 1],
      [2n, 1],
    ]).filter({ type: "AllEndpoints" });
    expect(all).toHaveLength(2);
  });
});
