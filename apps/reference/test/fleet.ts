import {
  createEndpointMetadata,
  type DiscoveryNotifier,
  type EndpointDiscovery,
  typedName,
} from "@muster/core";
import lora from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime, type Fleet } from "@muster/runtime";
import prometheus from "@muster/source-prometheus";
import { vi } from "vitest";

/** A fleet whose endpoints the test adds and removes by hand. */
export interface HandFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  add(name: string, port: number, labels?: Record<string, string>): void;
  remove(name: string): void;
}

/** Starts a real runtime with the real source and extractors, polling every 50 ms. */
export async function startHandFleet(): Promise<HandFleet> {
  let notifier: DiscoveryNotifier | undefined;
  const discovery: EndpointDiscovery = {
    typedName: typedName("hand-discovery"),
    ready: () => Promise.resolve(),
    start(given, { signal }) {
      notifier = given;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  const fleet = createRuntime({
    interval: 50,
    discovery: [discovery],
    sources: [{ source: prometheus.create(), extractors: [coreMetrics.create(), lora.create()] }],
  });
  await fleet.start();
  return {
    fleet,
    add: (name, port, labels = {}) =>
      notifier?.upsert(createEndpointMetadata({ name, address: "127.0.0.1", port, labels })),
    remove: (name) => notifier?.delete({ namespace: "default", name }),
    [Symbol.asyncDispose]: () => fleet.stop(),
  };
}

/** Waits until `count` endpoints are fresh. */
export async function untilFresh(fleet: Fleet, count: number): Promise<void> {
  await vi.waitUntil(() => fleet.endpoints.list({ state: "fresh" }).length === count, 5000);
}
