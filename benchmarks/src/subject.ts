import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Figure, figure } from "./measure.ts";
import { runMuster } from "./subject-muster.ts";
import { runPlain } from "./subject-plain.ts";
import { measureWindows, type Window, type WindowPlan } from "./windows.ts";

/** What a subject is to do: scrape `endpoints` servers every `intervalMs` and measure. */
export interface SubjectTask {
  readonly kind: "muster" | "plain";
  readonly endpoints: number;
  readonly intervalMs: number;
  readonly windows: WindowPlan;
  readonly port: number;
}

/** What a subject measured. */
export interface SubjectResult {
  /** Each with its scrapes, those that were extracted. */
  readonly windows: readonly Window[];
  /** Resident bytes at the end. */
  readonly rss: number;
  /** How late ticks were, ms. */
  readonly latenessMs: readonly number[];
}

/** Runs a subject in a process of its own, so that nothing else's CPU or memory is counted. */
export async function runSubject(task: SubjectTask): Promise<SubjectResult> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [JSON.stringify(task)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit").then(([code]) => {
    throw new Error(`the ${task.kind} subject ended with ${code}`);
  });
  const [result] = (await Promise.race([once(child, "message"), exited])) as [SubjectResult];
  exited.catch(() => undefined);
  child.kill("SIGKILL");
  return result;
}

/** Measures CPU and scrapes, window by window, from the call on; then memory. */
export async function measureScrapes(
  plan: WindowPlan,
  scrapes: () => number,
): Promise<Omit<SubjectResult, "latenessMs">> {
  const windows = await measureWindows(plan, scrapes);
  return { windows, rss: process.memoryUsage.rss() };
}

/** CPU ms per scrape, the median of the windows and how far they spread. */
export function cpuPerScrape({ windows }: SubjectResult): Figure {
  return figure(windows.map(({ cpuMs, count }) => cpuMs / count));
}

/** Cores in use. */
export function coresUsed({ windows }: SubjectResult): Figure {
  return figure(windows.map(({ cpuMs, seconds }) => cpuMs / 1000 / seconds));
}

/** Scrapes per second. */
export function scrapeRate({ windows }: SubjectResult): Figure {
  return figure(windows.map(({ count, seconds }) => count / seconds));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const task = JSON.parse(process.argv[2] ?? "{}") as SubjectTask;
  process.send?.(await (task.kind === "muster" ? runMuster(task) : runPlain(task)));
}
