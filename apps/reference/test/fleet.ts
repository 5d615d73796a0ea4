import {
  createEndpointMetadata,
  type DiscoveryNotifier,
  discovered,
  type EndpointDiscovery,
  type MusterError,
  typedName,
} from "@muster/core";
import { type RegisteredModels, registeredModels } from "@muster/core/attributes";
import lora from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime, type Fleet } from "@muster/runtime";
import prometheus from "@muster/source-prometheus";
import { vi } from "vitest";

/** A fleet whose endpoints the test adds and removes by hand. */
export interface HandFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  add(name: string, port: number, labels?: Record<string, string>, models?: RegisteredModels): void;
  remove(name: string): void;
  /** Says that the source was lost, and found again. */
  lose(reason: MusterError): void;
  find(): void;
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
    add: (name, port, labels = {}, models) =>
      notifier?.upsert(createEndpointMetadata({ name, address: "127.0.0.1", port, labels }), {
        attributes: models && [discovered(registeredModels, models)],
      }),
    lose: (reason) => notifier?.degraded(reason),
    find: () => notifier?.recovered(),
    remove: (name) => notifier?.delete({ namespace: "default", name }),
    [Symbol.asyncDispose]: () => fleet.stop(),
  };
}

/** Waits until `count` endpoints are fresh. */
export async function untilFresh(fleet: Fleet, count: number): Promise<void> {
  await vi.waitUntil(() => fleet.endpoints.list({ state: "fresh" }).length === count, 5000);
}
