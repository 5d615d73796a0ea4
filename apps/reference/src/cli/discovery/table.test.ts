import { decodeInstance } from "@muster/core/plane";
import { expect, it } from "vitest";
import type { KindName } from "../../plane/kinds.ts";
import { recordTables } from "./table.ts";

function record(kind: KindName, wire: object) {
  return { kind, key: "", instance: decodeInstance(JSON.stringify(wire)) };
}

const place = { namespace: "dynamo", component: "backend", endpoint: "generate" };

it("shows each kind as an aligned table, and text from the store as text", () => {
  const tables = recordTables([
    record("endpoints", {
      type: "Endpoint",
      ...place,
      instance_id: 255,
      transport: { tcp: "h:1/ff/generate" },
    }),
    record("endpoints", {
      ...{ type: "Endpoint", ...place, namespace: "\u001b[2Jx\u202e", instance_id: 1 },
      ...{ transport: { http: "http://h:1/v1/rpc/generate" }, device_type: "cuda" },
    }),
    record("models", {
      ...{ type: "Model", ...place, instance_id: 255 },
      ...{ card_json: { display_name: "Qwen\n3" }, model_suffix: "sql" },
    }),
    record("models", { type: "Model", ...place, instance_id: 255, card_json: null }),
    record("event-channels", {
      ...{
        type: "EventChannel",
        scope: { kind: "component", namespace: "dynamo", component: "backend" },
      },
      ...{ topic: "kv-events", instance_id: 42 },
      transport: { kind: "Zmq", config: { endpoint: "tcp://10.0.0.5:5557" } },
    }),
  ]);
  expect(tables).toBe(`endpoints
  NAMESPACE           COMPONENT  ENDPOINT  INSTANCE  TRANSPORT                        DEVICE
  dynamo              backend    generate  ff        tcp h:1/ff/generate
  \\u{1b}[2Jx\\u{202e}  backend    generate  1         http http://h:1/v1/rpc/generate  cuda

models
  NAMESPACE  COMPONENT  ENDPOINT  INSTANCE  MODEL              SUFFIX
  dynamo     backend    generate  ff        Qwen\\u{a}3         sql
  dynamo     backend    generate  ff        (no display_name)

event-channels
  SCOPE           TOPIC      INSTANCE  TRANSPORT
  dynamo/backend  kv-events  2a        Zmq tcp://10.0.0.5:5557
`);
});

it("cuts a long text, so that the other rows stay readable", () => {
  const named = (namespace: string) =>
    record("models", { type: "Model", ...place, namespace, instance_id: 1, card_json: null });
  const lines = recordTables([named("short"), named("x".repeat(100_000))]).split("\n");
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(200);
  expect(lines[3]).toMatch(/^ {2}x{99}… {2}backend/);
});
