import { describe, expect, it, vi } from "vitest";
import { attributeKey } from "../attribute-map.ts";
import { createEndpoint, type ModelServer } from "../endpoint.ts";
import { createEndpointMetadata } from "../endpoint-metadata.ts";
import { createWriteHandle } from "./write-handle.ts";

const size = attributeKey<number>("size");
const dead = expect.objectContaining({ code: "HANDLE_DEAD" });
const undeclared = expect.objectContaining({ code: "ATTRIBUTE_UNDECLARED" });

function server(): ModelServer {
  return createEndpoint(createEndpointMetadata({ name: "a", address: "10.0.0.1", port: 80 }));
}

describe("createWriteHandle", () => {
  it("reads and writes the endpoint behind it", () => {
    const target = server();
    const { endpoint } = createWriteHandle(target);
    endpoint.updateMetrics({ waitingQueueSize: 2 });
    endpoint.attributes.put(size, 5);
    expect([endpoint.id, endpoint.metadata, endpoint.metrics]).toEqual([
      target.id,
      target.metadata,
      target.metrics,
    ]);
    expect(target.attributes.get(size)).toBe(5);
    expect([endpoint.attributes.get(size), endpoint.attributes.get("size")]).toEqual([5, 5]);
    expect(endpoint.attributes.keys()).toEqual(["size"]);
    expect(String(endpoint)).toBe(String(target));
  });

  it("goes dead: writes throw and change nothing, reads still work", () => {
    const target = server();
    target.attributes.put(size, 1);
    const handle = createWriteHandle(target);
    handle.revoke();
    handle.revoke();
    expect(handle.revoked).toBe(true);
    expect(() => handle.endpoint.updateMetrics({ waitingQueueSize: 2 })).toThrow(dead);
    expect(() => handle.endpoint.attributes.put(size, 2)).toThrow(dead);
    expect(() => handle.endpoint.attributes.delete(size)).toThrow(dead);
    expect(target.metrics.waitingQueueSize).toBeUndefined();
    expect(handle.endpoint.attributes.get(size)).toBe(1);
  });

  it("nests: a handle over a dead one is dead too", () => {
    const outer = createWriteHandle(server());
    const inner = createWriteHandle(outer.endpoint);
    outer.revoke();
    expect(inner.revoked).toBe(false);
    expect(() => inner.endpoint.updateMetrics({ waitingQueueSize: 2 })).toThrow(dead);
  });

  it("section 2: confines a plugin to the keys it declares", () => {
    const target = server();
    const other = attributeKey<number>("other");
    target.attributes.put(other, 1);
    const { endpoint } = createWriteHandle(target, { attributes: new Set(["size"]) });
    endpoint.attributes.put(size, 1);
    expect(() => endpoint.attributes.put(other, 2)).toThrow(undeclared);
    expect(() => endpoint.attributes.delete("other")).toThrow(undeclared);
    expect(endpoint.attributes.get(other)).toBe(1);
    const { endpoint: nothing } = createWriteHandle(target, { attributes: new Set() });
    expect(() => nothing.attributes.put(size, 1)).toThrow("it declares none");
  });

  it("tells of each write that changed something", () => {
    const onWrite = vi.fn();
    const { endpoint } = createWriteHandle(server(), { onWrite });
    endpoint.updateMetrics({ waitingQueueSize: 1 });
    endpoint.attributes.put(size, 1);
    endpoint.attributes.delete(size);
    expect(onWrite).toHaveBeenCalledTimes(3);
    endpoint.attributes.delete(size);
    expect(() => endpoint.attributes.put(size, new Date() as never)).toThrow();
    expect(onWrite).toHaveBeenCalledTimes(3);
  });

  it("tells of each write that came too late, also through a handle over it", () => {
    const onRefused = vi.fn();
    const outer = createWriteHandle(server(), { onRefused });
    const inner = createWriteHandle(outer.endpoint);
    inner.endpoint.attributes.put(size, 1);
    expect(onRefused).not.toHaveBeenCalled();
    outer.revoke();
    expect(() => outer.endpoint.updateMetrics({})).toThrow(dead);
    expect(() => inner.endpoint.attributes.put(size, 2)).toThrow(dead);
    expect(onRefused).toHaveBeenCalledTimes(2);
  });

  it("clones attributes into a map of one's own", () => {
    const target = server();
    const handle = createWriteHandle(target, { attributes: new Set() });
    const mine = handle.endpoint.attributes.clone();
    mine.put(size, 1);
    expect(target.attributes.keys()).toEqual([]);
  });
});
