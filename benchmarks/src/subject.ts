import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Figure, figure } from "./measure.ts";
import { runMuster } from "./subject-muster.ts";
import { runPlain } from "./subject-plain.ts";

/** What a subject is to do: scrape `endpoints` servers every `intervalMs` and measure. */
export interface SubjectTask {
  readonly kind: "muster" | "plain";
  readonly endpoints: number;
  readonly intervalMs: number;
  /** How long, one after the other. */
  readonly windows: { readonly count: number; readonly seconds: number };
  readonly port: number;
}

/** One stretch of a measurement. */
export interface Window {
  /** Scrapes that were extracted. */
  readonly scrapes: number;
  readonly seconds: number;
  /** CPU ms of the whole process, user and system. */
  readonly cpuMs: number;
}

/** What a subject measured. */
export interface SubjectResult {
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

/** Measures CPU and scrapes, window by window, from the call on. */
export async function measureWindows(
  { count, seconds }: SubjectTask["windows"],
  scrapes: () => number,
): Promise<Omit<SubjectResult, "latenessMs">> {
  const windows: Window[] = [];
  while (windows.length < count) windows.push(await measureWindow(seconds, scrapes));
  return { windows, rss: process.memoryUsage.rss() };
}

async function measureWindow(seconds: number, scrapes: () => number): Promise<Window> {
  const before = scrapes();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const used = process.cpuUsage(cpu);
  return {
    scrapes: scrapes() - before,
    seconds: (performance.now() - start) / 1000,
    cpuMs: (used.user + used.system) / 1000,
  };
}

/** CPU ms per scrape, the median of the windows and how far they spread. */
export function cpuPerScrape({ windows }: SubjectResult): Figure {
  return figure(windows.map(({ cpuMs, scrapes }) => cpuMs / scrapes));
}

/** Cores in use. */
export function coresUsed({ windows }: SubjectResult): Figure {
  return figure(windows.map(({ cpuMs, seconds }) => cpuMs / 1000 / seconds));
}

/** Scrapes per second. */
export function scrapeRate({ windows }: SubjectResult): Figure {
  return figure(windows.map(({ scrapes, seconds }) => scrapes / seconds));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const task = JSON.parse(process.argv[2] ?? "{}") as SubjectTask;
  process.send?.(await (task.kind === "muster" ? runMuster(task) : runPlain(task)));
}
