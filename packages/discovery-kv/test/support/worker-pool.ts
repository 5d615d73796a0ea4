import type { StoreConfig } from "@muster/discovery-kv";
import { WorkerProcess } from "./worker-process.ts";

/** Worker processes of one store, started ahead of time: a process takes a while to be there. */
export class WorkerPool {
  readonly #config: StoreConfig;
  readonly #all: Promise<WorkerProcess>[] = [];
  #next: Promise<WorkerProcess>;

  constructor(config: StoreConfig) {
    this.#config = config;
    this.#next = this.#start();
  }

  /** A worker that has not asked its store anything yet. */
  readonly take = (): Promise<WorkerProcess> => {
    const next = this.#next;
    this.#next = this.#start();
    return next;
  };

  /** Kills all that are left. */
  readonly close = async (): Promise<void> => {
    for (const worker of await Promise.all(this.#all)) await worker.kill();
  };

  #start(): Promise<WorkerProcess> {
    const worker = WorkerProcess.start(this.#config);
    this.#all.push(worker);
    return worker;
  }
}
