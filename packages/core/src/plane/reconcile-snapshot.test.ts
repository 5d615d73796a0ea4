import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyDiscoveryChange } from "./classify-discovery-change.ts";
import { decodeInstance } from "./decode-instance.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import { reconcileSnapshot } from "./reconcile-snapshot.ts";

const endpoint = (id: number, port: number): DiscoveryInstance =>
  decodeInstance(
    `{"type":"Endpoint","component":"c","endpoint":"e","namespace":"n","instance_id":${id},"transport":{"tcp":"h:${port}"}}`,
  );
const model = (id: number, card: unknown): DiscoveryInstance =>
  decodeInstance(
    `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":${id},"card_json":${JSON.stringify(card)}}`,
  );
const source = (id: number, metadata: unknown): DiscoveryInstance =>
  decodeInstance(
    `{"type":"EventSource","scope":{"kind":"namespace","name":"n"},"topic":"t","publisher_id":${id},"metadata":${JSON.stringify(metadata)}}`,
  );
const channel = (id: number, zmq: string): DiscoveryInstance =>
  decodeInstance(
    `{"type":"EventChannel","scope":{"kind":"namespace","name":"n"},"topic":"t","instance_id":${id},"transport":{"kind":"Zmq","config":{"endpoint":"${zmq}"}}}`,
  );
const tainted = (...taints: string[]): object => ({
  display_name: "a",
  runtime_config: { taints },
});

describe("classifyDiscoveryChange", () => {
  it.each<[string, DiscoveryInstance | undefined, DiscoveryInstance, string]>([
    ["an unknown endpoint", undefined, endpoint(1, 1), "Added"],
    ["an unknown event source", undefined, source(1, {}), "Added"],
    ["the same endpoint", endpoint(1, 1), endpoint(1, 1), "Unchanged"],
    ["an endpoint that moved", endpoint(1, 1), endpoint(1, 2), "Added"],
    ["the same model", model(1, { a: 1 }), model(1, { a: 1 }), "Unchanged"],
    ["a model that became another", model(1, { a: 1 }), model(1, { a: 2 }), "Rejected"],
    [
      "a model with other taints",
      model(1, tainted("x")),
      model(1, tainted()),
      "ModelTaintsUpdated",
    ],
    ["an event source that changed", source(1, {}), source(1, { a: 1 }), "Ignored"],
    ["an event channel that changed", channel(1, "a"), channel(1, "b"), "Ignored"],
    ["the same event channel", channel(1, "a"), channel(1, "a"), "Unchanged"],
  ])("%s", (_name, existing, candidate, type) => {
    expect(classifyDiscoveryChange(existing, candidate).type).toBe(type);
  });

  it("gives the sorted taints, and the reason why a model stays", () => {
    const candidate = model(1, tainted("y", "x"));
    expect(classifyDiscoveryChange(model(1, tainted()), candidate)).toEqual({
      type: "ModelTaintsUpdated",
      id: candidate.id(),
      taints: ["x", "y"],
      instance: candidate,
    });
    expect(classifyDiscoveryChange(model(1, 1), model(1, 2))).toMatchObject({
      problem: { code: "PLANE_CONFLICT", message: expect.stringContaining("n/c/e/1") },
    });
  });

  it("takes another spelling of a card for the same", () => {
    const spelled = decodeInstance(
      `{"type":"Model","namespace":"n","component":"c","endpoint":"e","instance_id":1,"card_json":{ "a": 1.0 },"x":1}`,
    );
    expect(classifyDiscoveryChange(model(1, { a: 1 }), spelled).type).toBe("Unchanged");
  });
});

describe("reconcileSnapshot", () => {
  it("removes first, then adds and changes", () => {
    const known = [endpoint(1, 1), model(2, tainted()), endpoint(3, 1), endpoint(4, 1)];
    const full = [endpoint(4, 1), endpoint(5, 1), model(2, tainted("x")), endpoint(3, 2)];
    expect(reconcileSnapshot(known, full)).toEqual([
      { type: "Removed", id: known[0]?.id() },
      { type: "Added", instance: full[1] },
      { type: "ModelTaintsUpdated", id: full[2]?.id(), taints: ["x"] },
      { type: "Added", instance: full[3] },
    ]);
  });

  it("tells nothing of what may not change in place", () => {
    const known = [model(1, { a: 1 }), source(1, 1), channel(1, "a")];
    expect(reconcileSnapshot(known, [model(1, { a: 2 }), source(1, 2), channel(1, "b")])).toEqual(
      [],
    );
  });

  it("leads a reader who applies the events to everything there is", () => {
    const fleet = fc.array(fc.tuple(fc.nat(5), fc.nat(2)).map(([id, port]) => endpoint(id, port)));
    fc.assert(
      fc.property(fleet, fleet, (before, after) => {
        const view = new Map(before.map((instance) => [instance.id().key, instance]));
        const present = [...view.values()];
        for (const event of reconcileSnapshot(present, after)) {
          if (event.type === "Removed") view.delete(event.id.key);
          if (event.type === "Added") view.set(event.instance.id().key, event.instance);
        }
        const expected = new Map(after.map((instance) => [instance.id().key, instance]));
        expect(new Map([...view].sort())).toEqual(new Map([...expected].sort()));
      }),
    );
  });
});
