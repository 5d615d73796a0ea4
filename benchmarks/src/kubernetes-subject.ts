import { fileURLToPath } from "node:url";
import { answerQuestions } from "./child.ts";
import { heapUsed } from "./heap.ts";
import {
  type ClientName,
  followed,
  type KubernetesClient,
  type ListedPod,
} from "./kubernetes-client.ts";
import { podLabels } from "./kubernetes-pods.ts";
import { cpuSince, measureWindows, type Window, type WindowPlan } from "./windows.ts";

/** Which client to measure, and how. */
export interface SubjectTask {
  readonly client: ClientName;
  readonly server: string;
  readonly windows: WindowPlan;
}

/** What the first list took. */
export interface SyncResult {
  readonly ms: number;
  /** CPU ms of this process. */
  readonly cpuMs: number;
  /** Bytes more than before, after a full collection. */
  readonly heap: number;
}

/** What a client believes in the end. */
export interface ViewResult {
  /** Names that are missing, too many, or of another version than at the server. */
  readonly differences: number;
  /** Resident bytes. */
  readonly rss: number;
}

/** Its module, to be started with a {@link SubjectTask}; it knows `sync`, `measure` and `compare`. */
export const subjectModule: string = fileURLToPath(import.meta.url);

const labelSelector = Object.entries(podLabels)
  .map(([name, value]) => `${name}=${value}`)
  .join(",");
/** ms in which a view may catch up with the server's last changes. */
const catchUp = 10_000;

if (process.argv[1] === subjectModule) {
  const task = JSON.parse(process.argv[2] ?? "{}") as SubjectTask;
  const client = await open(task);
  answerQuestions({
    sync: () => sync(client),
    measure: () => measure(client, task.windows),
    compare: () => compare(client, task.server),
  });
}

/** Loads only what this client needs: memory is compared too. */
async function open({ client, server }: SubjectTask): Promise<KubernetesClient> {
  if (client === "informer")
    return (await import("./kubernetes-informer.ts")).informerClient(server, labelSelector);
  const { discoveryClient, reflectorClient } = await import("./kubernetes-muster.ts");
  return client === "discovery" ? discoveryClient(server) : reflectorClient(server, labelSelector);
}

async function sync(client: KubernetesClient): Promise<SyncResult> {
  const before = heapUsed();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await client.start();
  const ms = performance.now() - start;
  const cpuMs = cpuSince(cpu);
  return { ms, cpuMs, heap: heapUsed() - before };
}

/** The first window is left out: it runs cold code. */
async function measure(client: KubernetesClient, plan: WindowPlan): Promise<Window[]> {
  const windows = await measureWindows({ ...plan, count: plan.count + 1 }, client.changes);
  return windows.slice(1);
}

/** Waits until the view is what the server lists, but not for ever. */
async function compare(client: KubernetesClient, server: string): Promise<ViewResult> {
  const rss = process.memoryUsage.rss();
  const query = new URLSearchParams({ labelSelector });
  const answer = await fetch(`${server}${followed.path}?${query}`);
  const { items } = (await answer.json()) as { items: ListedPod[] };
  const truth = client.truth(items);
  const deadline = performance.now() + catchUp;
  let differences = differ(client.view(), truth);
  while (differences > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    differences = differ(client.view(), truth);
  }
  return { differences, rss };
}

function differ(view: ReadonlyMap<string, string>, truth: ReadonlyMap<string, string>): number {
  const wrong = [...truth].filter(([name, value]) => view.get(name) !== value).length;
  const stale = [...view.keys()].filter((name) => !truth.has(name)).length;
  return wrong + stale;
}
