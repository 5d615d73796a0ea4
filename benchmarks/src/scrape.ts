import { percentile } from "./measure.ts";
import { startPageServers } from "./page-servers.ts";
import { coresUsed, cpuPerScrape, runSubject, type SubjectResult, scrapeRate } from "./subject.ts";
import { type Report, type Row, round, show } from "./table.ts";

const page = "vllm-0.11.0-v1";
const endpoints = 100;
const hertz = 20;

/** Goals of the issue: the rate held under 0.6 core, and CPU against the plain loop. */
const goals = Object.freeze({ rate: 0.98 * endpoints * hertz, cores: 0.6, ratio: 7 });

/** 100 endpoints at 20 Hz against real HTTP servers in another process, ours and a plain loop. */
export async function benchScrape(smoke: boolean): Promise<Report> {
  const servers = await startPageServers(page);
  const windows = smoke ? { count: 1, seconds: 1 } : { count: 5, seconds: 2 };
  const task = { endpoints, intervalMs: 1000 / hertz, windows, port: servers.port };
  try {
    const ours = await runSubject({ ...task, kind: "muster" });
    const plain = await runSubject({ ...task, kind: "plain" });
    const cpuRatio = cpuPerScrape(plain).median / cpuPerScrape(ours).median;
    const rate = scrapeRate(ours).median;
    const cores = coresUsed(ours).median;
    return {
      name: `scrape: ${endpoints} endpoints at ${hertz} Hz, ${page}`,
      rows: [row("muster", ours), row("fetch + parse-prometheus-text-format", plain)],
      checks: [
        { what: `rate ${round(rate)}/s, goal ${goals.rate}/s`, held: rate >= goals.rate },
        { what: `${round(cores)} cores, goal under ${goals.cores}`, held: cores < goals.cores },
        {
          what: `${round(cpuRatio)}x less CPU, goal ${goals.ratio}x`,
          held: cpuRatio >= goals.ratio,
        },
      ],
    };
  } finally {
    await servers.stop();
  }
}

function row(subject: string, result: SubjectResult): Row {
  return {
    subject,
    "scrapes/s": show(scrapeRate(result)),
    cores: show(coresUsed(result)),
    "CPU ms/scrape": show(cpuPerScrape(result)),
    "lateness p50 ms": round(percentile(result.latenessMs, 0.5)),
    "lateness p99 ms": round(percentile(result.latenessMs, 0.99)),
  };
}
