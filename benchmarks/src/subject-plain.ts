import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { loopbackHost } from "./page-servers.ts";
import { measureScrapes, type SubjectResult, type SubjectTask } from "./subject.ts";

const wanted: ReadonlySet<string> = new Set([
  "vllm:num_requests_waiting",
  "vllm:num_requests_running",
  "vllm:kv_cache_usage_perc",
  "vllm:lora_requests_info",
  "vllm:cache_config_info",
]);

/** What one would write without Muster: fetch on a timer, parse the text, pick the values. */
export async function runPlain(task: SubjectTask): Promise<SubjectResult> {
  const values = new Map<string, number>();
  let scrapes = 0;
  const busy = new Set<string>();
  const scrape = async (url: string): Promise<void> => {
    if (busy.has(url)) return;
    busy.add(url);
    try {
      const text = await (await fetch(url)).text();
      for (const family of parsePrometheusTextFormat(text))
        if (wanted.has(family.name))
          for (const sample of family.metrics) values.set(url + family.name, Number(sample.value));
      scrapes += 1;
    } finally {
      busy.delete(url);
    }
  };
  const due: number[] = [];
  const latenessMs: number[] = [];
  for (let n = 0; n < task.endpoints; n++) {
    const url = `http://${loopbackHost(n)}:${task.port}/metrics`;
    const phase = (n / task.endpoints) * task.intervalMs;
    setTimeout(() => {
      due[n] = performance.now() + task.intervalMs;
      setInterval(() => {
        latenessMs.push(Math.max(0, performance.now() - (due[n] ?? 0)));
        due[n] = (due[n] ?? 0) + task.intervalMs;
        void scrape(url);
      }, task.intervalMs);
    }, phase);
  }
  await new Promise((resolve) => setTimeout(resolve, 3000));
  latenessMs.length = 0;
  const measured = await measureScrapes(task.windows, () => scrapes);
  return { ...measured, latenessMs };
}
