import { startPageServers } from "./page-servers.ts";
import { runSubject, type SubjectResult } from "./subject.ts";
import { type Report, round } from "./table.ts";

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
      // few endpoints need a longer window for as many scrapes
      const seconds = smoke ? 2 : endpoints < 100 ? 30 : endpoints < 1000 ? 20 : 10;
      const task = {
        kind: "muster",
        endpoints,
        intervalMs: 1000,
        seconds,
        port: servers.port,
      } as const;
      results.set(endpoints, await runSubject(task));
    }
  } finally {
    await servers.stop();
  }
  const base = results.get(sizes[0] ?? 0);
  const rows = [...results].map(([endpoints, result]) => ({
    endpoints,
    "scrapes/s": round(result.scrapes / result.seconds),
    "CPU ms/scrape": round(result.cpuMs / result.scrapes),
    cores: round(result.cpuMs / 1000 / result.seconds),
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
  return result === undefined ? Number.NaN : result.cpuMs / result.scrapes;
}
