import { describe, expect, it, vi } from "vitest";
import { attributeKey } from "./attribute-map.ts";
import { createDiscoveryNotifier, discovered } from "./discovery.ts";
import { createEndpointMetadata } from "./endpoint-metadata.ts";
import { MusterError } from "./errors.ts";
import { namespacedName } from "./names.ts";

const down = new MusterError("DISCOVERY_READ", "down");
const metadata = createEndpointMetadata({ name: "a", address: "10.0.0.1", port: 8000 });

function recordingStore() {
  const calls: unknown[][] = [];
  return {
    calls,
    endpointUpsert: (...args: unknown[]) => void calls.push(["upsert", ...args]),
    endpointDelete: (...args: unknown[]) => void calls.push(["delete", ...args]),
    discoveryDegraded: (...args: unknown[]) => void calls.push(["degraded", ...args]),
    discoveryRecovered: (...args: unknown[]) => void calls.push(["recovered", ...args]),
  };
}

describe("section 5: the discovery notifier", () => {
  it("is a narrow adapter: calls reach the store in the order received", () => {
    const store = recordingStore();
    const notifier = createDiscoveryNotifier(store);
    const attributes = [discovered(attributeKey<string>("zone"), "a")];
    notifier.upsert(metadata, { attributes });
    notifier.delete(metadata.namespacedName);
    notifier.degraded(down);
    notifier.recovered();
    notifier.upsert(metadata);
    expect(store.calls).toEqual([
      ["upsert", metadata, { attributes }],
      ["delete", namespacedName("default", "a")],
      ["degraded", down],
      ["recovered"],
      ["upsert", metadata, undefined],
    ]);
  });

  it("ignores and counts calls after the abort", () => {
    const store = recordingStore();
    const controller = new AbortController();
    const onIgnored = vi.fn();
    const notifier = createDiscoveryNotifier(store, { signal: controller.signal, onIgnored });
    notifier.upsert(metadata);
    controller.abort();
    notifier.upsert(metadata);
    notifier.delete(metadata.namespacedName);
    notifier.degraded(down);
    notifier.recovered();
    expect(store.calls.length).toBe(1);
    expect(onIgnored).toHaveBeenCalledTimes(4);
  });

  it("a store that does not care how its discovery is needs no method for it", () => {
    const notifier = createDiscoveryNotifier({ endpointUpsert() {}, endpointDelete() {} });
    notifier.degraded(down);
    notifier.recovered();
  });
});
