import { typedName } from "@muster/core";
import { type PrometheusExtractor, prometheusPage } from "@muster/core/prometheus";
import lora from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime } from "@muster/runtime";
import prometheus from "@muster/source-prometheus";
import { createLatenessMeter } from "./lateness-meter.ts";
import { staticDiscovery } from "./static-discovery.ts";
import { measureWindows, type SubjectResult, type SubjectTask } from "./subject.ts";

/** The real thing: runtime, source, core metrics and LoRA. */
export async function runMuster(task: SubjectTask): Promise<SubjectResult> {
  let scrapes = 0;
  const counter: PrometheusExtractor = {
    typedName: typedName("scrape-counter"),
    variant: "polling",
    payload: prometheusPage,
    families: [],
    extract: () => {
      scrapes += 1;
    },
  };
  const { meter, samples } = createLatenessMeter();
  const fleet = createRuntime({
    metrics: meter,
    discovery: [staticDiscovery(task.endpoints, task.port)],
    sources: [
      {
        source: prometheus.create({ interval: task.intervalMs }),
        extractors: [coreMetrics.create(), lora.create(), counter],
      },
    ],
  });
  await fleet.start();
  await warmUp(() => scrapes, task);
  samples.length = 0;
  const measured = await measureWindows(task.windows, () => scrapes);
  const latenessMs = samples.map((seconds) => seconds * 1000);
  await fleet.stop();
  return { ...measured, latenessMs };
}

/** Waits until every endpoint was scraped a few times: connections are open, code is hot, nothing is late. */
async function warmUp(scrapes: () => number, task: SubjectTask): Promise<void> {
  const start = performance.now();
  const least = Math.max(task.endpoints * 2, 500);
  const isWarm = (ms: number): boolean => ms > 30_000 || (ms > 3000 && scrapes() >= least);
  while (!isWarm(performance.now() - start))
    await new Promise((resolve) => setTimeout(resolve, 50));
}
