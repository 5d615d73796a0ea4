import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { runMuster } from "./subject-muster.ts";
import { runPlain } from "./subject-plain.ts";

/** What a subject is to do: scrape `endpoints` servers every `intervalMs` and measure `seconds`. */
export interface SubjectTask {
  readonly kind: "muster" | "plain";
  readonly endpoints: number;
  readonly intervalMs: number;
  readonly seconds: number;
  readonly port: number;
}

/** What a subject measured in its window. */
export interface SubjectResult {
  /** Scrapes that were extracted. */
  readonly scrapes: number;
  readonly seconds: number;
  /** CPU ms of the whole process, user and system. */
  readonly cpuMs: number;
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

/** Measures CPU and scrapes between the call and the end of the window. */
export async function measureWindow(
  seconds: number,
  scrapes: () => number,
): Promise<Omit<SubjectResult, "latenessMs">> {
  const before = scrapes();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const used = process.cpuUsage(cpu);
  return {
    scrapes: scrapes() - before,
    seconds: (performance.now() - start) / 1000,
    cpuMs: (used.user + used.system) / 1000,
    rss: process.memoryUsage.rss(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const task = JSON.parse(process.argv[2] ?? "{}") as SubjectTask;
  process.send?.(await (task.kind === "muster" ? runMuster(task) : runPlain(task)));
}
