import { typedName } from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import { prometheusPage } from "@muster/core/prometheus";
import lora from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime, type Fleet } from "@muster/runtime";
import { parsePage } from "@muster/source-prometheus";
import { readPage } from "./pages.ts";
import { staticDiscovery } from "./static-discovery.ts";

/** A running fleet of `count` endpoints, each polled once from a page in memory. */
export async function polledFleet(count: number): Promise<Fleet> {
  const page = parsePage(readPage("vllm-0.11.0-v1-lora"), {});
  const source = createPollingDispatcher({
    typedName: typedName("memory-source"),
    payload: prometheusPage,
    interval: 60_000,
    poll: () => Promise.resolve(page),
  });
  const fleet = createRuntime({
    discovery: [staticDiscovery(count, 8000)],
    sources: [{ source, extractors: [coreMetrics.create(), lora.create()] }],
    freshness: { staleAfter: "1h" },
  });
  await fleet.start();
  while (fleet.endpoints.list({ state: "fresh" }).length < count)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return fleet;
}
