import { describe, expect, it } from "vitest";
import { checkSpec } from "./check-spec.ts";
import type { DiscoverySpec } from "./discovery-spec.ts";
import { fromModel, fromModelWithSuffix } from "./from-model.ts";
import { RawJson } from "./raw-json.ts";
import { withInstanceId } from "./with-instance-id.ts";

const names = { namespace: "n", component: "c", endpoint: "e" };
const endpoint: DiscoverySpec = { type: "Endpoint", ...names, transport: { tcp: "h:1/1/e" } };
const channel: DiscoverySpec = {
  type: "EventChannel",
  scope: { kind: "component", namespace: "a/b", component: "c" },
  topic: "kv/events",
  instanceId: 7n,
  transport: { kind: "Zmq", config: { endpoint: "tcp://h:1" } },
};
const source: DiscoverySpec = {
  type: "EventSource",
  scope: { kind: "namespace", name: "n" },
  topic: "t",
  publisherId: 8n,
  metadata: RawJson.of({}),
};

describe("checkSpec", () => {
  it.each([
    endpoint,
    { ...endpoint, namespace: "模型 é.~" },
    fromModel({ ...names, card: {} }),
    fromModelWithSuffix({ ...names, card: {}, modelSuffix: "" }),
    channel,
    source,
  ])("accepts %o", (spec) => {
    expect(() => checkSpec(spec)).not.toThrow();
  });

  it.each<[DiscoverySpec, string, string]>([
    [{ ...endpoint, namespace: "" }, "PLANE_NAME", "must not be empty"],
    [{ ...endpoint, component: "a/b" }, "PLANE_NAME", `component "a/b" must not contain '/'`],
    [{ ...endpoint, endpoint: "a\n" }, "PLANE_NAME", "control characters"],
    [{ ...endpoint, endpoint: "\ud800" }, "PLANE_NAME", "half characters"],
    [{ ...endpoint, endpoint: "x".repeat(513) }, "PLANE_NAME", "longer than 512"],
    [{ ...endpoint, endpoint: 1 as never }, "PLANE_NAME", "must be text"],
    [{ ...endpoint, transport: {} as never }, "PLANE_RECORD", "transport must be"],
    [{ ...endpoint, transport: { tcp: 1 } as never }, "PLANE_RECORD", "transport must be"],
    [{ ...endpoint, deviceType: 1 as never }, "PLANE_RECORD", "deviceType must be text"],
    [fromModelWithSuffix({ ...names, card: {}, modelSuffix: "a/b" }), "PLANE_NAME", "'/'"],
    [fromModelWithSuffix({ ...names, card: {}, modelSuffix: "_base" }), "PLANE_NAME", "reserved"],
    [
      { type: "Model", ...names, cardJson: { a: 1 } as never },
      "PLANE_CARD",
      "cardJson must be RawJson",
    ],
    [{ ...channel, topic: "" }, "PLANE_NAME", "topic"],
    [{ ...channel, instanceId: 2n ** 64n }, "PLANE_RECORD", "from 0 to 2^64-1"],
    [{ ...channel, instanceId: 1 as never }, "PLANE_RECORD", "not 1 (number)"],
    [{ ...channel, scope: { kind: "x" } as never }, "PLANE_RECORD", "scope.kind"],
    [{ ...source, scope: { kind: "namespace", name: "" } }, "PLANE_NAME", "scope"],
    [{ ...source, metadata: null as never }, "PLANE_RECORD", "metadata must be RawJson"],
    [{ ...endpoint, type: "Frontend" as never }, "PLANE_VARIANT", "Frontend"],
  ])("refuses %o", (spec, code, message) => {
    expect(() => checkSpec(spec)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});

describe("withInstanceId", () => {
  it("gives endpoints and models the id; events keep their publisher's", () => {
    const ids = [endpoint, fromModel({ ...names, card: {} }), channel, source].map(
      (spec) => withInstanceId(spec, 5n).instanceId,
    );
    expect(ids).toEqual([5n, 5n, 7n, 8n]);
  });
});

describe("fromModel", () => {
  it("writes the card", () => {
    const spec = fromModel({ ...names, card: { display_name: "m", big: 2n ** 64n - 1n } });
    expect(spec.cardJson.text).toBe(`{"display_name":"m","big":18446744073709551615}`);
    expect(spec).toMatchObject({ type: "Model", ...names, modelSuffix: undefined });
    expect(fromModel({ ...names, card: spec.cardJson }).cardJson.text).toBe(spec.cardJson.text);
  });

  it("takes an empty suffix and null for none", () => {
    for (const modelSuffix of ["", null, undefined])
      expect(fromModelWithSuffix({ ...names, card: 1, modelSuffix }).modelSuffix).toBe(undefined);
    expect(fromModelWithSuffix({ ...names, card: 1, modelSuffix: "a" }).modelSuffix).toBe("a");
  });

  it.each([undefined, () => 1, { a: Number.NaN }, { toJSON: () => undefined }])(
    "refuses the card %s",
    (card) => {
      expect(() => fromModel({ ...names, card })).toThrow(
        expect.objectContaining({ code: "PLANE_CARD" }),
      );
    },
  );
});
