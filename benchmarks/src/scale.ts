import { startPageServers } from "./page-servers.ts";
import { coresUsed, cpuPerScrape, runSubject, type SubjectResult, scrapeRate } from "./subject.ts";
import { type Report, round, show } from "./table.ts";

const page = "vllm-0.11.0-v1";
const sizes = [10, 100, 1000, 5000];

/** CPU per scrape may grow this much from 100 endpoints to 5,000. */
const flat = 1.3;

/** From 10 to 5,000 endpoints at 1 Hz: CPU per scrape stays flat, memory per endpoint is stated. */
export async function benchScale(smoke: boolean): Promise<Report> {
  const servers = await startPageServers(page);
  const results = new Map<number, SubjectResult>();
  try {
    for (const endpoints of smoke ? sizes.slice(0, 2) : sizes) {
      // few endpoints need longer windows for as many scrapes
      const seconds = endpoints < 100 ? 6 : endpoints < 1000 ? 4 : 2;
      const windows = smoke ? { count: 1, seconds: 2 } : { count: 5, seconds };
      const task = { kind: "muster", endpoints, intervalMs: 1000, windows } as const;
      results.set(endpoints, await runSubject({ ...task, port: servers.port }));
    }
  } finally {
    await servers.stop();
  }
  const base = results.get(sizes[0] ?? 0);
  const rows = [...results].map(([endpoints, result]) => ({
    endpoints,
    "scrapes/s": show(scrapeRate(result)),
    "CPU ms/scrape": show(cpuPerScrape(result)),
    cores: show(coresUsed(result)),
    "RSS MB": round(result.rss / 1e6),
    "RSS kB/endpoint": base ? round((result.rss - base.rss) / 1000 / endpoints) : "",
  }));
  const growth = cpu(results, 5000) / cpu(results, 100);
  const checks = smoke
    ? []
    : [
        {
          what: `CPU per scrape at 5,000 is ${round(growth)}x that at 100, goal ${flat}x`,
          held: growth <= flat,
        },
      ];
  return { name: "scale: 1 Hz", rows, checks };
}

function cpu(results: ReadonlyMap<number, SubjectResult>, endpoints: number): number {
  const result = results.get(endpoints);
  return result === undefined ? Number.NaN : cpuPerScrape(result).median;
}
