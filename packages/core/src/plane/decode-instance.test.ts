import { describe, expect, it } from "vitest";
import { isMusterError } from "../errors.ts";
import { decodeInstance } from "./decode-instance.ts";
import { encodeInstance } from "./encode-instance.ts";

const endpoint = {
  type: "Endpoint",
  component: "c",
  endpoint: "e",
  namespace: "n",
  instance_id: 1,
  transport: { tcp: "h:1/1/e" },
};
const model = {
  type: "Model",
  namespace: "n",
  component: "c",
  endpoint: "e",
  instance_id: 1,
  card_json: {},
};
const channel = {
  type: "EventChannel",
  scope: { kind: "namespace", name: "n" },
  topic: "t",
  instance_id: 1,
  transport: { kind: "Zmq", config: { endpoint: "tcp://h:1" } },
};
const source = { ...channel, type: "EventSource", publisher_id: 1, metadata: null };

const problem = (text: string): string => {
  try {
    return encodeInstance(decodeInstance(text));
  } catch (error) {
    return isMusterError(error) ? `${error.code}: ${error.message}` : String(error);
  }
};

describe("decodeInstance", () => {
  it.each([["-1"], ["1.0"], ["1e3"], ["-0"], ["18446744073709551616"], [`"1"`], ["null"], ["[1]"]])(
    "refuses the id %s",
    (id) => {
      const text = JSON.stringify(endpoint).replace(`"instance_id":1`, `"instance_id":${id}`);
      expect(problem(text)).toBe(
        `PLANE_RECORD: instance_id must be an integer from 0 to 2^64-1, not ${id}`,
      );
    },
  );

  it.each<[object, string]>([
    [{ ...endpoint, namespace: undefined }, "namespace is missing"],
    [{ ...endpoint, namespace: 1 }, "namespace must be a string, not 1"],
    [{ ...endpoint, namespace: "a/b" }, `namespace "a/b" must be text without '/'`],
    [{ ...endpoint, transport: "tcp" }, "transport must be an object"],
    [{ ...endpoint, transport: {} }, "transport is of no known kind"],
    [{ ...endpoint, transport: { quic: "h:1" } }, "transport is of no known kind"],
    [{ ...endpoint, transport: { tcp: 1 } }, "transport.tcp must be a string"],
    [{ ...endpoint, transport: { tcp: "h:1", http: "x" } }, "transport must have one member"],
    [{ ...endpoint, device_type: 1 }, "device_type must be a string"],
    [{ ...model, card_json: undefined }, "card_json is missing"],
    [{ ...model, model_suffix: 1 }, "model_suffix must be a string"],
    [{ ...model, model_suffix: "a/b" }, `modelSuffix "a/b" must be text without '/'`],
    [{ ...channel, scope: { kind: "planet", name: "n" } }, "scope.kind must be namespace"],
    [{ ...channel, scope: { kind: "endpoint", endpoint: [] } }, "scope.endpoint must be an object"],
    [{ ...channel, transport: { kind: "Smoke", config: {} } }, "transport.kind must be Nats"],
    [{ ...channel, transport: { kind: "Nats", config: {} } }, "subject_prefix is missing"],
    [
      { ...channel, transport: { kind: "ZmqBroker", config: { xsub_endpoints: [1] } } },
      "transport.config.xsub_endpoints must hold strings only",
    ],
    [{ ...channel, scope: undefined }, "namespace is missing"],
    [{ ...source, publisher_id: -1 }, "publisher_id must be an integer"],
    [{ ...source, metadata: undefined }, "metadata is missing"],
    [{ ...endpoint, type: undefined }, "type is missing"],
    [[endpoint], "a record must be an object"],
  ])("refuses %j", (record, message) => {
    expect(problem(JSON.stringify(record))).toMatch(/^PLANE_RECORD: /);
    expect(problem(JSON.stringify(record))).toContain(message);
  });

  it("says so when it does not know the type, whatever else is wrong", () => {
    expect(problem(`{"type":"Frontend","instance_id":"x"}`)).toBe(
      `PLANE_RECORD_TYPE: unknown record type "Frontend": expected Endpoint, Model, EventChannel or EventSource`,
    );
    expect(problem(`{"type":"__proto__"}`)).toMatch(/^PLANE_RECORD_TYPE: /);
  });

  it("refuses text that is no JSON, and a known member that stands there twice", () => {
    expect(problem("")).toMatch(/^PLANE_JSON: /);
    expect(problem(`${JSON.stringify(endpoint)}x`)).toMatch(/^PLANE_JSON: /);
    expect(problem(JSON.stringify(endpoint).replace("{", `{"instance_id":2,`))).toBe(
      "PLANE_RECORD: instance_id stands there twice",
    );
  });

  it.each([
    `{"type":"Endpoint","component":"c","endpoint":"e","namespace":"n","instance_id":1,"transport":{"tcp":"h:1/1/e"},"weight":0.1000,"__proto__":{"big":123456789012345678901234567890},"weight":1e400}`,
    `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":1,"card_json":{ "b":1.0,"a":[-0, 1E+5],"a":18446744073709551615},"x":"\\u00e9"}`,
    `{"type":"EventChannel","scope":{"kind":"namespace","name":"n","x":1.0},"topic":"t","instance_id":1,"transport":{"kind":"Zmq","config":{"endpoint":"tcp://h:1","hwm":1.0},"y":{}}}`,
    `{"type":"EventSource","scope":{"kind":"endpoint","endpoint":{"namespace":"n","component":"c","name":"e","__proto__":2.50}},"topic":"t","publisher_id":1,"metadata":1.00,"z":null}`,
  ])("loses nothing of %s", (text) => {
    expect(problem(text)).toBe(text);
    expect(decodeInstance(text).equals(decodeInstance(text))).toBe(true);
    expect(Object.isFrozen(decodeInstance(text))).toBe(true);
  });

  it("resolves escapes in names", () => {
    const text = JSON.stringify(endpoint).replace(`"c"`, `"\\u0063\\u00e9"`);
    expect(decodeInstance(text)).toMatchObject({ component: "cé" });
  });

  it("takes null for a member that is not there", () => {
    const text = JSON.stringify({ ...endpoint, device_type: null, request_plane_codec: null });
    expect(problem(text)).toBe(JSON.stringify(endpoint));
  });
});
