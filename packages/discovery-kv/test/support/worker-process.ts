import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { StoreConfig } from "@muster/discovery-kv";
import type { Action } from "./records.ts";
import type { Answer, Request } from "./worker.ts";

const program = fileURLToPath(new URL("./worker.ts", import.meta.url));
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A worker in a process of its own, that can be killed and stopped. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #waiting = new Map<number, (answer: { problem?: string }) => void>();
  #instanceId: bigint | undefined;
  #requests = 0;

  private constructor(config: StoreConfig) {
    this.#child = fork(program, [JSON.stringify(config)], {
      execArgv: ["--import", "tsx", "--conditions=@muster/source"],
      // what it sends has bigints
      serialization: "advanced",
    });
    running.add(this.#child);
    this.#exited = once(this.#child, "exit").then(() => {
      running.delete(this.#child);
      for (const answer of this.#waiting.values()) answer({ problem: "the worker died" });
    });
    this.#child.on("message", (answer: Answer) => {
      if ("instanceId" in answer) this.#instanceId = answer.instanceId;
      else this.#waiting.get(answer.number)?.(answer);
    });
  }

  /** Starts one; resolves when it is there. Its store has not been asked anything by then. */
  static async start(config: StoreConfig): Promise<WorkerProcess> {
    const worker = new WorkerProcess(config);
    await Promise.race([once(worker.#child, "message"), worker.#exited]);
    return worker;
  }

  get instanceId(): bigint {
    if (this.#instanceId === undefined) throw new Error("the worker did not start");
    return this.#instanceId;
  }

  /** Lets it do something. */
  run(action: Action): Promise<void> {
    return this.#ask(action);
  }

  /** Ends it as a program ends: it takes its records away. */
  async leave(): Promise<void> {
    await this.#ask(undefined);
    this.#child.disconnect();
    await this.#exited;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** SIGSTOP: it stands still, and does not notice. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  /** SIGCONT. */
  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  async #ask(action: Action | undefined): Promise<void> {
    const number = ++this.#requests;
    const answer = await new Promise<{ problem?: string }>((resolve) => {
      this.#waiting.set(number, resolve);
      const request: Request = { number, action };
      this.#child.send(request);
    });
    this.#waiting.delete(number);
    if (answer.problem !== undefined) throw new Error(answer.problem);
  }
}
