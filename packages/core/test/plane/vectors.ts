/**
 * Every wire form, path and hash that the behaviour page of the discovery plane gives, as data: what
 * another implementation writes, and what ours has to write, to the byte.
 */

/** A stored record: as given, and as we write it when that differs (spaces, order). */
export interface RecordVector {
  readonly name: string;
  readonly given: string;
  readonly written?: string;
  /** `type`, then the key below the bucket. */
  readonly id: readonly [type: "Endpoint" | "Model" | "EventChannel" | "EventSource", path: string];
  readonly instanceId: bigint;
}

export const records: readonly RecordVector[] = [
  {
    name: "an endpoint, on two lines",
    given: `{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo",
 "instance_id":7587872796500119135,"transport":{"tcp":"10.0.0.5:41234/694d8a1b2c3d4e5f/generate"}}`,
    written: `{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":7587872796500119135,"transport":{"tcp":"10.0.0.5:41234/694d8a1b2c3d4e5f/generate"}}`,
    id: ["Endpoint", "dynamo/backend/generate/694d8a1b2c3d4e5f"],
    instanceId: 7587872796500119135n,
  },
  {
    name: "an endpoint in the order of a Kubernetes object",
    given: `{"type":"Endpoint","namespace":"dynamo","component":"backend","endpoint":"generate","instance_id":1186445869714687,"transport":{"tcp":"10.1.2.3:41234/43710f49c0cff/generate"}}`,
    written: `{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":1186445869714687,"transport":{"tcp":"10.1.2.3:41234/43710f49c0cff/generate"}}`,
    id: ["Endpoint", "dynamo/backend/generate/43710f49c0cff"],
    instanceId: 1186445869714687n,
  },
  {
    name: "an endpoint with device and codec, over NATS, with an etcd lease as id",
    given: `{"type":"Endpoint","component":"c","endpoint":"e","namespace":"n","instance_id":2324035728755164429,"transport":{"nats_tcp":"n.c.e-1"},"device_type":"cuda","request_plane_codec":"msgpack"}`,
    id: ["Endpoint", "n/c/e/2040a22e99c4850d"],
    instanceId: 2324035728755164429n,
  },
  {
    name: "an endpoint over http, as older fleets have it, with the largest id",
    given: `{"type":"Endpoint","component":"c","endpoint":"e","namespace":"n","instance_id":18446744073709551615,"transport":{"http":"http://10.0.0.5:8000/v1/rpc/e"},"device_type":"cpu","request_plane_codec":"json"}`,
    id: ["Endpoint", "n/c/e/ffffffffffffffff"],
    instanceId: 18446744073709551615n,
  },
  {
    name: "a model, on two lines",
    given: `{"type":"Model","namespace":"dynamo","component":"backend","endpoint":"generate",
 "instance_id":1186445869714687,"card_json":{"display_name":"Qwen/Qwen3-0.6B","slug":"<slug>"}}`,
    written: `{"type":"Model","namespace":"dynamo","component":"backend","endpoint":"generate","instance_id":1186445869714687,"card_json":{"display_name":"Qwen/Qwen3-0.6B","slug":"<slug>"}}`,
    id: ["Model", "dynamo/backend/generate/43710f49c0cff"],
    instanceId: 1186445869714687n,
  },
  {
    name: "a LoRA adapter",
    given: `{"type":"Model","namespace":"dynamo","component":"backend","endpoint":"generate","instance_id":7587872796500119135,"card_json":{"display_name":"my adapter","lora":{"name":"my adapter","max_gpu_lora_count":4},"user_data":{"lora_adapter":true,"lora_id":7}},"model_suffix":"my_adapter"}`,
    id: ["Model", "dynamo/backend/generate/694d8a1b2c3d4e5f/my_adapter"],
    instanceId: 7587872796500119135n,
  },
  {
    name: "a withdrawn adapter: no card",
    given: `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":18,"card_json":null,"model_suffix":"a"}`,
    id: ["Model", "n/c/e/12/a"],
    instanceId: 18n,
  },
  {
    name: "a model whose suffix is null",
    given: `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":18,"card_json":{},"model_suffix":null}`,
    written: `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":18,"card_json":{}}`,
    id: ["Model", "n/c/e/12"],
    instanceId: 18n,
  },
  {
    name: "an event channel, on two lines",
    given: `{"type":"EventChannel","scope":{"kind":"component","namespace":"dynamo","component":"backend"},
 "topic":"kv-events","instance_id":42,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://10.0.0.5:5557"}}}`,
    written: `{"type":"EventChannel","scope":{"kind":"component","namespace":"dynamo","component":"backend"},"topic":"kv-events","instance_id":42,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://10.0.0.5:5557"}}}`,
    id: ["EventChannel", "namespace/dynamo/component/backend/topic/kv-events/2a"],
    instanceId: 42n,
  },
  {
    name: "an event channel over NATS, of an endpoint",
    given: `{"type":"EventChannel","scope":{"kind":"endpoint","endpoint":{"namespace":"n","component":"c","name":"e"}},"topic":"t","instance_id":18,"transport":{"kind":"Nats","config":{"subject_prefix":"namespace.n.component.c.endpoint.e.t"}}}`,
    id: ["EventChannel", "namespace/n/component/c/endpoint/e/topic/t/12"],
    instanceId: 18n,
  },
  {
    name: "an event channel over a broker, of a namespace",
    given: `{"type":"EventChannel","scope":{"kind":"namespace","name":"n"},"topic":"t","instance_id":18,"transport":{"kind":"ZmqBroker","config":{"xsub_endpoints":["tcp://h:1"],"xpub_endpoints":["tcp://h:2","tcp://h:3"]}}}`,
    id: ["EventChannel", "namespace/n/topic/t/12"],
    instanceId: 18n,
  },
  {
    name: "an event channel from before scopes, of a component",
    given: `{"type":"EventChannel","namespace":"n","component":"c","topic":"t","instance_id":18,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://h:1"}}}`,
    written: `{"type":"EventChannel","scope":{"kind":"component","namespace":"n","component":"c"},"topic":"t","instance_id":18,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://h:1"}},"namespace":"n","component":"c"}`,
    id: ["EventChannel", "namespace/n/component/c/topic/t/12"],
    instanceId: 18n,
  },
  {
    name: "an event channel from before scopes, of a namespace",
    given: `{"type":"EventChannel","namespace":"n","component":"","topic":"t","instance_id":18,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://h:1"}}}`,
    written: `{"type":"EventChannel","scope":{"kind":"namespace","name":"n"},"topic":"t","instance_id":18,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://h:1"}},"namespace":"n","component":""}`,
    id: ["EventChannel", "namespace/n/topic/t/12"],
    instanceId: 18n,
  },
  {
    name: "an event source",
    given: `{"type":"EventSource","scope":{"kind":"namespace","name":"dynamo"},"topic":"t","publisher_id":42,"metadata":{"any":["json",1.0,null]}}`,
    id: ["EventSource", "namespace/dynamo/topic/t/2a"],
    instanceId: 42n,
  },
];

/** Ids as the original serialises them, with their paths. */
export const ids: readonly (readonly [json: string, type: RecordVector["id"][0], path: string])[] =
  [
    [
      `{"Endpoint":{"namespace":"ns","component":"c","endpoint":"e","instance_id":18}}`,
      "Endpoint",
      "ns/c/e/12",
    ],
    [
      `{"Model":{"namespace":"ns","component":"c","endpoint":"e","instance_id":18,"model_suffix":null}}`,
      "Model",
      "ns/c/e/12",
    ],
    [
      `{"Model":{"namespace":"ns","component":"c","endpoint":"e","instance_id":18,"model_suffix":"a"}}`,
      "Model",
      "ns/c/e/12/a",
    ],
    [
      `{"EventChannel":{"scope":{"kind":"component","namespace":"n","component":"c"},"topic":"t","instance_id":18}}`,
      "EventChannel",
      "namespace/n/component/c/topic/t/12",
    ],
    [
      `{"EventSource":{"scope":{"kind":"endpoint","endpoint":{"namespace":"n","component":"c","name":"e"}},"topic":"t","publisher_id":18446744073709551615}}`,
      "EventSource",
      "namespace/n/component/c/endpoint/e/topic/t/ffffffffffffffff",
    ],
  ];

/** Full keys in a store. */
export const keys: readonly (readonly [key: string, type: RecordVector["id"][0]])[] = [
  ["v1/instances/dynamo/backend/generate/694d8a1b2c3d4e5f", "Endpoint"],
  ["v1/mdc/dynamo/backend/generate/694d8a1b2c3d4e5f/my_adapter", "Model"],
  ["v1/event_channels/namespace/dynamo/component/backend/topic/kv-events/2a", "EventChannel"],
  ["v1/event_sources/namespace/dynamo/topic/t/2a", "EventSource"],
];

/** The last part of a key, as Rust's `u64::from_str_radix(…, 16)` takes it; undefined: not at all. */
export const hexIds: readonly (readonly [text: string, id: bigint | undefined])[] = [
  ["0", 0n],
  ["12", 18n],
  ["2A", 42n],
  ["aBc", 2748n],
  ["+1", 1n],
  ["00000000000000000000000012", 18n],
  ["+0000", 0n],
  ["694d8a1b2c3d4e5f", 7587872796500119135n],
  ["ffffffffffffffff", 18446744073709551615n],
  ["0ffffffffffffffff", 18446744073709551615n],
  ["10000000000000000", undefined],
  ["fffffffffffffffff", undefined],
  ["", undefined],
  ["+", undefined],
  ["++1", undefined],
  ["-1", undefined],
  ["-0", undefined],
  ["0x1", undefined],
  ["1 ", undefined],
  [" 1", undefined],
  ["1\n", undefined],
  ["1_0", undefined],
  ["g", undefined],
  ["١", undefined],
];

/** Segments of event paths: ASCII letters, digits, `-` and `_` stay, every other byte is `%XX`. */
export const segments: readonly (readonly [text: string, encoded: string])[] = [
  ["kv-events", "kv-events"],
  ["Kv_9", "Kv_9"],
  ["", ""],
  ["a/b", "a%2Fb"],
  ["a.b", "a%2Eb"],
  ["100%", "100%25"],
  ["~ +", "%7E%20%2B"],
  ["é", "%C3%A9"],
  ["模型", "%E6%A8%A1%E5%9E%8B"],
  ["🐎", "%F0%9F%90%8E"],
];

/** Pod and container names and their instance ids. */
export const hashes: readonly (readonly [name: string, decimal: bigint, hex: string])[] = [
  ["", 121655548788207n, "6ea523c53def"],
  ["a", 7688582637611507n, "1b50b9a4f0e9f3"],
  ["worker-0", 1186445869714687n, "43710f49c0cff"],
  ["worker-1", 6167992384364830n, "15e9c1a30c211e"],
  ["worker-99999", 7410589986301036n, "1a53e46fb5a46c"],
  ["worker-0-engine-0", 8051026481054291n, "1c9a5dad7b0253"],
  ["fake-name-1-0-worker-nrdfv", 1009006049675451n, "395af872ac8bb"],
  ["my-worker-pod-abc123", 8977483032915950n, "1fe4f927276fee"],
  ["deployment-with-hash-suffix-a1b2c3d4e5f6", 2590930466072916n, "9347002116954"],
];

/** `spec.data` of a worker's object on Kubernetes, as we write it. */
export const metadata = `{"endpoints":{"dynamo/backend/generate/43710f49c0cff":{"type":"Endpoint","component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":1186445869714687,"transport":{"tcp":"10.1.2.3:41234/43710f49c0cff/generate"}}},"model_cards":{},"event_channels":{},"event_sources":{}}`;
