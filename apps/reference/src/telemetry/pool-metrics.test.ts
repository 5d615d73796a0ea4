import {
  createEndpointMetadata,
  type EndpointDiscovery,
  type PollingExtractor,
  payloadToken,
  typedName,
} from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import { createRuntime, type Fleet } from "@muster/runtime";
import { Registry } from "prom-client";
import { expect, it, onTestFinished } from "vitest";
import { registerPoolMetrics } from "./pool-metrics.ts";

const sizes = payloadToken<number | undefined>("test/queue-size");

/** A running fleet whose endpoints have these queue sizes, unknown where there is none. */
async function fleetOf(queues: readonly (number | undefined)[]): Promise<Fleet> {
  const discovery: EndpointDiscovery = {
    typedName: typedName("list"),
    ready: () => Promise.resolve(),
    start(notifier, { signal }) {
      for (const index of queues.keys())
        notifier.upsert(
          createEndpointMetadata({ name: `e${index}`, address: "127.0.0.1", port: 1 }),
        );
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  const source = createPollingDispatcher({
    typedName: typedName("sizes"),
    payload: sizes,
    poll: async ({ metadata }) => queues[Number(metadata.namespacedName.name.slice(1))],
  });
  const queue: PollingExtractor<number | undefined> = {
    ...{ typedName: typedName("queue"), variant: "polling", payload: sizes, provides: "freshness" },
    extract: ({ payload, endpoint }) => endpoint.updateMetrics({ waitingQueueSize: payload }),
  };
  const sources = [{ source, extractors: [queue] }];
  const fleet = createRuntime({ interval: "1m", discovery: [discovery], sources });
  onTestFinished(() => fleet.stop());
  await fleet.start();
  return fleet;
}

async function pageOf(fleet: Fleet): Promise<string> {
  const registry = new Registry();
  registerPoolMetrics({ fleet, registry, pool: "p" });
  return registry.metrics();
}

it("averages what is known of the fresh endpoints; what nobody knows has no sample", async () => {
  const page = await pageOf(await fleetOf([1, 3, undefined]));
  expect(page).toContain('muster_ready_endpoints{name="p"} 3');
  expect(page).toContain('muster_average_queue_size{name="p"} 2\n');
  expect(page).toContain('muster_std_dev_queue_size{name="p"} 1\n');
  expect(page).not.toContain("muster_average_running_requests{");
  expect(page).toContain('muster_per_endpoint_queue_size{name="p",endpoint="default/e1"} 3\n');
  expect(page).not.toContain('endpoint="default/e2"');
  expect(page).toContain('muster_per_endpoint_series_omitted{name="p"} 0\n');
});

it("gives at most 1,000 endpoints a series of their own, and counts the others", async () => {
  const page = await pageOf(await fleetOf(Array.from({ length: 1003 }, () => 1)));
  expect(page.match(/^muster_per_endpoint_queue_size\{/gm)).toHaveLength(1000);
  expect(page).toContain('muster_per_endpoint_series_omitted{name="p"} 3\n');
  expect(page).toContain('muster_ready_endpoints{name="p"} 1003\n');
});
