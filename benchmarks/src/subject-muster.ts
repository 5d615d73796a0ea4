import { typedName } from "@muster/core";
import { type PrometheusExtractor, prometheusPage } from "@muster/core/prometheus";
import lora from "@muster/extractors-lora";
import coreMetrics from "@muster/extractors-metrics";
import { createRuntime, type Fleet } from "@muster/runtime";
import prometheus from "@muster/source-prometheus";
import { createLatenessMeter } from "./lateness-meter.ts";
import { staticDiscovery } from "./static-discovery.ts";
import { measureScrapes, type SubjectResult, type SubjectTask } from "./subject.ts";

/** Scrapes after which code is hot, and how they come about. */
const warmUp = Object.freeze({ scrapes: 5000, endpoints: 100, intervalMs: 50 });

/** The real thing: runtime, source, core metrics and LoRA. */
export async function runMuster(task: SubjectTask): Promise<SubjectResult> {
  // a fleet of its own at a high rate, so that few endpoints are not measured with cold code
  const hot = createSubject({ ...warmUp, port: task.port });
  await hot.fleet.start();
  await hot.scraped(warmUp.scrapes);
  await hot.fleet.stop();

  const { fleet, samples, scrapes, scraped } = createSubject(task);
  await fleet.start();
  await scraped(2 * task.endpoints);
  samples.length = 0;
  const measured = await measureScrapes(task.windows, scrapes);
  const latenessMs = samples.map((seconds) => seconds * 1000);
  await fleet.stop();
  return { ...measured, latenessMs };
}

interface Subject {
  readonly fleet: Fleet;
  /** How late ticks were, seconds. */
  readonly samples: number[];
  /** Scrapes so far. */
  scrapes(): number;
  /** Resolves after so many scrapes, or half a minute. */
  scraped(count: number): Promise<void>;
}

function createSubject(task: Pick<SubjectTask, "endpoints" | "intervalMs" | "port">): Subject {
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
  const scraped = async (count: number): Promise<void> => {
    const deadline = performance.now() + 30_000;
    while (scrapes < count && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
  };
  return { fleet, samples, scrapes: () => scrapes, scraped };
}
