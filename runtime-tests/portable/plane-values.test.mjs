// What the discovery plane's records lean on differs between engines: bigint, UTF-8, regular expressions.
import assert from "node:assert/strict";
import {
  DiscoveryMetadata,
  decodeInstance,
  EventChannelInstanceId,
  encodeInstance,
  hashPodName,
  parseJson,
  withTaints,
} from "@muster/core/plane";

const records = [
  `{"type":"Endpoint","component":"c","endpoint":"e","namespace":"n","instance_id":18446744073709551615,"transport":{"tcp":"10.0.0.5:41234/ffffffffffffffff/e"},"weight":1.0,"__proto__":{"x":1e400}}`,
  `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":1,"card_json":{ "n":-0, "big":123456789012345678901234567890 },"model_suffix":"my_adapter"}`,
  `{"type":"EventSource","scope":{"kind":"namespace","name":"模型 🐎"},"topic":"a/b.c","publisher_id":42,"metadata":0.1000}`,
];

export default ({ it }) => {
  it("writes records back as they were read", () => {
    for (const text of records) assert.equal(encodeInstance(decodeInstance(text)), text);
  });

  it("reads JSON as the engine does, but for large integers", () => {
    const text = `{"a":[1,-2.5e-3,"\\ud83d\\ude00\\n",null],"__proto__":{"b":true}}`;
    assert.equal(JSON.stringify(parseJson(text)), JSON.stringify(JSON.parse(text)));
    assert.equal(parseJson("2324035728755164429"), 2324035728755164429n);
    for (const bad of ["", "01", '"\n"', '"\\x"', "[1,]", "[".repeat(1e6)])
      assert.throws(() => parseJson(bad), { code: "PLANE_JSON" });
  });

  it("encodes paths byte by byte", () => {
    const { scope, topic, publisherId: instanceId } = decodeInstance(records[2]);
    const id = new EventChannelInstanceId({ scope, topic, instanceId });
    const path = "namespace/%E6%A8%A1%E5%9E%8B%20%F0%9F%90%8E/topic/a%2Fb%2Ec/2a";
    assert.equal(id.toPath(), path);
    assert.equal(EventChannelInstanceId.fromPath(path).key, id.key);
    assert.throws(() => EventChannelInstanceId.fromPath("namespace/%FF/topic/t/1"), {
      code: "PLANE_PATH",
    });
  });

  it("hashes names as Rust does", () => {
    assert.equal(hashPodName("worker-0"), 1186445869714687n);
    assert.equal(hashPodName("my-worker-pod-abc123"), 8977483032915950n);
  });

  it("changes taints and nothing else", () => {
    const model = decodeInstance(records[1].replace(`,"model_suffix":"my_adapter"`, ""));
    const expected = `{ "n":-0, "big":123456789012345678901234567890 ,"runtime_config":{"taints":["a","🐎"]}}`;
    assert.equal(withTaints(model, ["🐎", "a"]).cardJson.text, expected);
  });

  it("keeps the neighbours of a bad entry", () => {
    const skipped = [];
    const text = `{"endpoints":{"bad":{"type":"Velo"},"good":${records[0]}},"model_cards":null}`;
    const metadata = DiscoveryMetadata.fromJson(text, ({ key }) => skipped.push(key));
    assert.deepEqual([skipped, [...metadata.endpoints.keys()]], [["bad"], ["good"]]);
  });
};
