import { describe, expect, it, vi } from "vitest";
import { MusterError } from "../errors.ts";
import type { DiscoveryEvent } from "./discovery-event.ts";
import type { DiscoveryInstance } from "./discovery-instance.ts";
import {
  createDiscoveryStream,
  type DiscoveryFeed,
  type DiscoveryStreamOptions,
} from "./discovery-stream.ts";
import { EndpointInstance } from "./endpoint-instance.ts";
import { EndpointInstanceId } from "./endpoint-instance-id.ts";
import { EventSourceInstance } from "./event-source-instance.ts";
import { ModelInstance } from "./model-instance.ts";
import { RawJson } from "./raw-json.ts";

const names = { namespace: "ns", component: "c", endpoint: "e" };

function endpoint(instanceId: bigint, tcp = "h:1", namespace = "ns"): EndpointInstance {
  return new EndpointInstance({ ...names, namespace, instanceId, transport: { tcp } });
}

function model(instanceId: bigint, card: object): ModelInstance {
  return new ModelInstance({ ...names, instanceId, cardJson: RawJson.of(card) });
}

function feed(options: Partial<DiscoveryStreamOptions> = {}): DiscoveryFeed {
  return createDiscoveryStream({ query: { type: "AllEndpoints" }, ...options });
}

const added = (instance: DiscoveryInstance): DiscoveryEvent => ({ type: "Added", instance });
const removed = (instance: DiscoveryInstance): DiscoveryEvent => ({
  type: "Removed",
  id: instance.id(),
});
const resync = (...instances: DiscoveryInstance[]): DiscoveryEvent => ({
  type: "Resync",
  instances,
});

async function read({ stream }: DiscoveryFeed, count: number): Promise<DiscoveryEvent[]> {
  const events: DiscoveryEvent[] = [];
  while (events.length < count) {
    const { value, done } = await stream.next();
    if (done) throw new Error("the stream ended");
    events.push(value);
  }
  return events;
}

/** Whether a read would wait: what is put next is what it gets. */
async function expectNothingElse(view: DiscoveryFeed): Promise<void> {
  const probe = new EndpointInstanceId({ ...names, instanceId: 999_999n });
  view.remove(probe);
  expect(await read(view, 1)).toEqual([{ type: "Removed", id: probe }]);
}

const [a, b, c] = [endpoint(1n), endpoint(2n), endpoint(3n)];

describe("createDiscoveryStream", () => {
  it("begins with an Added for each record and one Resync, empty if there is none", async () => {
    const view = feed();
    view.replace([a, b]);
    view.put(c);
    expect(await read(view, 4)).toEqual([added(a), added(b), resync(a, b), added(c)]);
    await expectNothingElse(view);
    const empty = feed();
    empty.replace([]);
    expect(await read(empty, 1)).toEqual([resync()]);
    await expectNothingElse(empty);
  });

  it("reports a later snapshot as Removed, then additions and changes, then one Resync", async () => {
    const view = feed();
    view.replace([a, b]);
    await read(view, 3);
    const moved = endpoint(2n, "h:2");
    view.replace([moved, c]);
    expect(await read(view, 4)).toEqual([removed(a), added(moved), added(c), resync(moved, c)]);
  });

  it("says nothing but the differences without resync: the original's first contract", async () => {
    const view = feed({ resync: false, queueLimit: 2 });
    view.replace([a]);
    view.replace([b]);
    view.put(c);
    // the reader was too slow for three events: it has seen nothing of the first record
    expect(await read(view, 2)).toEqual([added(b), added(c)]);
    await expectNothingElse(view);
  });

  it("sees a transport that changes in place [dynamo#12566], and no change in the same value", async () => {
    const view = feed();
    view.put(a);
    view.put(endpoint(1n));
    view.put(endpoint(1n, "h:2"));
    expect(await read(view, 2)).toEqual([added(a), added(endpoint(1n, "h:2"))]);
  });

  it("keeps to its query", async () => {
    const view = feed({ query: { type: "NamespacedEndpoints", namespace: "ns1" } });
    const other = endpoint(1n, "h:1", "ns10");
    const own = endpoint(1n, "h:1", "ns1");
    view.replace([other, own]);
    view.put(other);
    view.remove(other.id());
    expect(await read(view, 2)).toEqual([added(own), resync(own)]);
    view.put(model(1n, {}));
    await expect(view.stream.return?.()).resolves.toEqual({ value: undefined, done: true });
  });

  it("reports the removal of what it never added", async () => {
    const view = feed();
    view.remove(a.id());
    expect(await read(view, 1)).toEqual([removed(a)]);
  });

  it("tells changed taints, and refuses any other change of a model", async () => {
    const onRejected = vi.fn();
    const view = feed({ query: { type: "AllModels" }, onRejected });
    const first = model(1n, { display_name: "m", runtime_config: { taints: [] } });
    const tainted = model(1n, { display_name: "m", runtime_config: { taints: ["b", "a"] } });
    view.put(first);
    view.put(tainted);
    const other = model(1n, { display_name: "other" });
    view.put(other);
    expect(onRejected.mock.calls).toEqual([
      [expect.objectContaining({ code: "PLANE_CONFLICT" }), other],
    ]);
    expect(await read(view, 2)).toEqual([
      added(first),
      { type: "ModelTaintsUpdated", id: first.id(), taints: ["a", "b"] },
    ]);
    // the same value in a snapshot is refused too, and reported once
    view.replace([model(1n, { display_name: "other" })]);
    expect(await read(view, 1)).toEqual([resync(tainted)]);
    expect(onRejected).toHaveBeenCalledTimes(1);
  });

  it("takes another model in a snapshot for one withdrawn and registered in the gap", async () => {
    const onRejected = vi.fn();
    const view = feed({ query: { type: "AllModels" }, onRejected });
    const [first, second] = [model(1n, { display_name: "m" }), model(1n, { display_name: "n" })];
    view.replace([first]);
    await read(view, 2);
    view.replace([second]);
    expect(await read(view, 3)).toEqual([removed(first), added(second), resync(second)]);
    expect(onRejected).not.toHaveBeenCalled();
  });

  it("ignores an event source that becomes another", async () => {
    const view = feed({ query: { type: "EventSources" } });
    const source = (metadata: object): EventSourceInstance =>
      new EventSourceInstance({
        scope: { kind: "namespace", name: "ns" },
        topic: "t",
        publisherId: 1n,
        metadata: RawJson.of(metadata),
      });
    view.put(source({ a: 1 }));
    view.put(source({ a: 2 }));
    view.replace([source({ a: 1 })]);
    expect(await read(view, 2)).toEqual([added(source({ a: 1 })), resync(source({ a: 1 }))]);
  });
});

describe("a slow reader", () => {
  it("gets the difference to what it has read, and one Resync", async () => {
    const onOverflow = vi.fn();
    const view = feed({ queueLimit: 4, onOverflow });
    view.replace([a, b]);
    expect(await read(view, 1)).toEqual([added(a)]);
    for (let n = 10n; n < 40n; n++) view.put(endpoint(n));
    for (let n = 10n; n < 39n; n++) view.remove(endpoint(n).id());
    view.remove(a.id());
    expect(onOverflow).toHaveBeenCalledTimes(1);
    expect(await read(view, 4)).toEqual([
      removed(a),
      added(b),
      added(endpoint(39n)),
      resync(b, endpoint(39n)),
    ]);
    view.put(c);
    expect(await read(view, 1)).toEqual([added(c)]);
  });

  it("sees a model that was registered anew as Removed and Added", async () => {
    const view = feed({ query: { type: "AllModels" }, queueLimit: 1 });
    const [first, second] = [model(1n, { display_name: "m" }), model(1n, { display_name: "n" })];
    view.put(first);
    await read(view, 1);
    view.remove(first.id());
    view.put(second);
    expect(await read(view, 3)).toEqual([removed(first), added(second), resync(second)]);
  });

  it("never has more than one Resync waiting", async () => {
    const view = feed();
    for (let n = 0n; n < 100n; n++) view.replace([endpoint(n)]);
    expect(await read(view, 2)).toEqual([added(endpoint(99n)), resync(endpoint(99n))]);
    await expectNothingElse(view);
  });
});

describe("the end of a stream", () => {
  it("is PLANE_ABORTED for the caller when it comes before the set-up", () => {
    expect(() => feed({ signal: AbortSignal.abort() })).toThrow(
      expect.objectContaining({ code: "PLANE_ABORTED" }),
    );
  });

  it("comes at once by signal and by return, and the backend hears of it once", async () => {
    const controller = new AbortController();
    const onClose = vi.fn();
    const view = feed({ signal: controller.signal, onClose });
    const waiting = view.stream.next();
    controller.abort();
    expect(await waiting).toEqual({ value: undefined, done: true });
    view.put(a);
    view.replace([a]);
    expect((await view.stream.next()).done).toBe(true);
    const returned = feed({ onClose });
    returned.replace([a]);
    for await (const event of returned.stream) {
      expect(event).toEqual(added(a));
      break;
    }
    expect(returned.closed).toBe(true);
    expect(onClose).toHaveBeenCalledTimes(2);
  });

  it("comes after what waits when the backend ends it, with the backend's error", async () => {
    const view = feed();
    view.put(a);
    const error = new MusterError("STORE_LEASE_LOST", "gone");
    view.end(error);
    view.put(b);
    expect(await read(view, 1)).toEqual([added(a)]);
    await expect(view.stream.next()).rejects.toBe(error);
    expect((await view.stream.next()).done).toBe(true);
  });

  it("refuses a limit that is none", () => {
    for (const queueLimit of [0, -1, 1.5, Number.NaN])
      expect(() => feed({ queueLimit })).toThrow(
        expect.objectContaining({ code: "CONFIG_INVALID" }),
      );
  });
});
