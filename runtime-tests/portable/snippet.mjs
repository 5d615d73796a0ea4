import fileDiscovery from "@muster/discovery-file";
import lora, { loraState } from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime } from "@muster/runtime";
import prometheus from "@muster/source-prometheus";

await using fleet = createRuntime({
  discovery: [fileDiscovery.create({ path: "endpoints.yaml", watchFile: true })],
  sources: [
    {
      source: prometheus.create({ interval: "1s" }),
      extractors: [coreMetrics.create(), lora.create()],
    },
  ],
});
await fleet.start();
for (const endpoint of fleet.endpoints.list({ state: "fresh" }))
  console.log(
    endpoint.id,
    endpoint.metrics.waitingQueueSize,
    endpoint.attributes.get(loraState)?.active,
  );
