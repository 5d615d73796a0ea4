import { type DiscoverySpec, fromModelWithSuffix, RawJson } from "@muster/core/plane";

/** Whose records these are: an id that JSON.parse would round. */
export const instanceId = 0x694d8a1b2c3d4e5fn;

/** A record as the original stores it. */
export interface GoldenRecord {
  readonly bucket: string;
  /** Below the bucket. */
  readonly key: string;
  /** Name of its file. */
  readonly file: string;
  readonly wire: string;
  /** What a worker registers for it; none for what only older workers write. */
  readonly spec?: DiscoverySpec;
}

const place = { namespace: "dynamo", component: "backend", endpoint: "generate" };

/** One of each kind, keys and values as `discovery-plane.md` spells them. */
export const golden: readonly GoldenRecord[] = [
  {
    bucket: "v1/instances",
    key: "dynamo/backend/generate/694d8a1b2c3d4e5f",
    file: "dynamo%2Fbackend%2Fgenerate%2F694d8a1b2c3d4e5f",
    wire: `{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":7587872796500119135,"transport":{"tcp":"10.0.0.5:41234/694d8a1b2c3d4e5f/generate"}}`,
    spec: {
      type: "Endpoint",
      ...place,
      transport: { tcp: "10.0.0.5:41234/694d8a1b2c3d4e5f/generate" },
    },
  },
  {
    bucket: "v1/mdc",
    key: "dynamo/backend/generate/694d8a1b2c3d4e5f",
    file: "dynamo%2Fbackend%2Fgenerate%2F694d8a1b2c3d4e5f",
    wire: `{"type":"Model","namespace":"dynamo","component":"backend","endpoint":"generate","instance_id":7587872796500119135,"card_json":{"display_name":"Qwen/Qwen3-0.6B","slug":"<slug>"}}`,
    spec: fromModelWithSuffix({
      ...place,
      card: { display_name: "Qwen/Qwen3-0.6B", slug: "<slug>" },
    }),
  },
  {
    bucket: "v1/mdc",
    key: "dynamo/backend/generate/694d8a1b2c3d4e5f/my_adapter",
    file: "dynamo%2Fbackend%2Fgenerate%2F694d8a1b2c3d4e5f%2Fmy%5Fadapter",
    wire: `{"type":"Model","namespace":"dynamo","component":"backend","endpoint":"generate","instance_id":7587872796500119135,"card_json":{"display_name":"my adapter","source_path":"Qwen/Qwen3-0.6B","lora":{"name":"my adapter"}},"model_suffix":"my_adapter"}`,
    spec: fromModelWithSuffix({
      ...place,
      card: {
        display_name: "my adapter",
        source_path: "Qwen/Qwen3-0.6B",
        lora: { name: "my adapter" },
      },
      modelSuffix: "my_adapter",
    }),
  },
  {
    bucket: "v1/event_channels",
    key: "namespace/dynamo/component/backend/topic/kv-events/2a",
    file: "namespace%2Fdynamo%2Fcomponent%2Fbackend%2Ftopic%2Fkv%2Devents%2F2a",
    wire: `{"type":"EventChannel","scope":{"kind":"component","namespace":"dynamo","component":"backend"},"topic":"kv-events","instance_id":42,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://10.0.0.5:5557"}}}`,
    spec: {
      type: "EventChannel",
      scope: { kind: "component", namespace: "dynamo", component: "backend" },
      topic: "kv-events",
      instanceId: 42n,
      transport: { kind: "Zmq", config: { endpoint: "tcp://10.0.0.5:5557" } },
    },
  },
  {
    bucket: "v1/event_sources",
    key: "namespace/dynamo/topic/t/2a",
    file: "namespace%2Fdynamo%2Ftopic%2Ft%2F2a",
    wire: `{"type":"EventSource","scope":{"kind":"namespace","name":"dynamo"},"topic":"t","publisher_id":42,"metadata":{"any":["json",1.0,null]}}`,
    spec: {
      type: "EventSource",
      scope: { kind: "namespace", name: "dynamo" },
      topic: "t",
      publisherId: 42n,
      metadata: RawJson.parse(`{"any":["json",1.0,null]}`),
    },
  },
];

/** What workers before 1.3 leave: an event channel without scope, at the key that it had. */
export const legacy: GoldenRecord = {
  bucket: "v1/event_channels",
  key: "dynamo/backend/kv-events/2b",
  file: "dynamo%2Fbackend%2Fkv%2Devents%2F2b",
  wire: `{"type":"EventChannel","namespace":"dynamo","component":"backend","topic":"kv-events","instance_id":43,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://10.0.0.6:5557"}}}`,
};

/** The legacy record as it is read, and written back for old readers too. */
export const legacyRead = `{"type":"EventChannel","scope":{"kind":"component","namespace":"dynamo","component":"backend"},"topic":"kv-events","instance_id":43,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://10.0.0.6:5557"}},"namespace":"dynamo","component":"backend"}`;
