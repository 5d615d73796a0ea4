import { fileURLToPath } from "node:url";
import { createKubernetesServer } from "@muster/testkit/kubernetes";
import { answerQuestions } from "./child.ts";
import { type PodBody, type PodPlace, podName, podOf, statusOf } from "./kubernetes-pods.ts";

/** What the server's process is to do. */
export interface ServerTask {
  readonly pods: number;
  /** Changes a second, once asked to `resume`. */
  readonly rate: number;
}

/** Its module, to be started with a {@link ServerTask}; it knows `open`, `resume` and `pause`. */
export const serverModule: string = fileURLToPath(import.meta.url);

/** One change in so many is a pod that is replaced: deleted, made, and ready. */
const replaceEvery = 20;
/** Requests that are open at a time, at most. */
const maxOpen = 32;

/** An API server with pods, which change as kubelets and roll-outs change them. */
class ChangingCluster {
  readonly #task: ServerTask;
  readonly #server = createKubernetesServer();
  readonly #pods: { place: PodPlace; ready: boolean }[];
  #changes = 0;
  #changing: Promise<void> = Promise.resolve();
  #paused = true;

  constructor(task: ServerTask) {
    this.#task = task;
    this.#pods = Array.from({ length: task.pods }, (_, n) => ({
      place: { n, life: 0 },
      ready: true,
    }));
  }

  async open(): Promise<string> {
    await this.#server.start();
    const next = this.#pods.values();
    const fill = async (): Promise<void> => {
      for (const { place } of next) {
        await this.#make(place);
        await this.#report(place, true);
      }
    };
    await Promise.all(Array.from({ length: maxOpen }, fill));
    return this.#server.url;
  }

  resume(): void {
    this.#paused = false;
    this.#changing = this.#change();
  }

  /** Resolves when nothing changes any more; with the changes since it was opened. */
  async pause(): Promise<number> {
    this.#paused = true;
    await this.#changing;
    return this.#changes;
  }

  async #change(): Promise<void> {
    const start = performance.now();
    const before = this.#changes;
    const open = new Set<Promise<void>>();
    for (let step = 0; !this.#paused; ) {
      const due = before + ((performance.now() - start) / 1000) * this.#task.rate;
      while (this.#changes < due && open.size < maxOpen) {
        const call: Promise<void> = this.#step(step++).finally(() => open.delete(call));
        open.add(call);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(open);
  }

  async #step(step: number): Promise<void> {
    // pods far from each other, so that no two steps that are open touch one
    const pod = this.#pods[(step * 7919) % this.#pods.length];
    if (pod === undefined) return;
    if (step % replaceEvery !== 0) {
      this.#changes += 1;
      pod.ready = !pod.ready;
      return await this.#report(pod.place, pod.ready);
    }
    this.#changes += 3;
    await this.#write("DELETE", `/${podName(pod.place)}?gracePeriodSeconds=0`);
    pod.place = { n: pod.place.n, life: pod.place.life + 1 };
    pod.ready = true;
    await this.#make(pod.place);
    await this.#report(pod.place, true);
  }

  #make(place: PodPlace): Promise<void> {
    return this.#write("POST", "?fieldManager=kube-controller-manager", podOf(place));
  }

  #report(place: PodPlace, ready: boolean): Promise<void> {
    const status = statusOf(place, ready, this.#changes);
    const path = `/${podName(place)}/status?fieldManager=kubelet`;
    return this.#write("PATCH", path, { status });
  }

  async #write(method: string, path: string, body?: PodBody): Promise<void> {
    const answer = await fetch(`${this.#server.url}/api/v1/namespaces/default/pods${path}`, {
      method,
      headers: {
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
  }
}

if (process.argv[1] === serverModule) {
  const cluster = new ChangingCluster(JSON.parse(process.argv[2] ?? "{}") as ServerTask);
  answerQuestions({
    open: () => cluster.open(),
    resume: () => cluster.resume(),
    pause: () => cluster.pause(),
  });
}
