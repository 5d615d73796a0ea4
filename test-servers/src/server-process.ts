import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** As much of what a server says as an error message repeats. */
const keptOutput = 4000;

/** ms until a process is taken to stand still. */
const longestStop = 2000;

const running = new Set<ChildProcess>();
let cleansUp = false;

/** A server that a test starts, stops, kills and starts again. */
export class ServerProcess {
  readonly #command: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #output = "";

  constructor(command: string, args: readonly string[]) {
    this.#command = command;
    this.#args = args;
  }

  /** The end of what it said, both streams. */
  get output(): string {
    return this.#output;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  start(): void {
    if (this.#child !== undefined) throw new Error(`${this.#command} runs already`);
    endWithUs();
    const child = spawn(this.#command, this.#args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    running.add(child);
    const keep = (chunk: unknown): void => {
      this.#output = (this.#output + String(chunk)).slice(-keptOutput);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    this.#exited = new Promise((resolve) => {
      const ended = (): void => {
        running.delete(child);
        if (this.#child === child) this.#child = undefined;
        resolve();
      };
      child.once("error", (error) => {
        keep(error.message);
        ended();
      });
      child.once("exit", ended);
    });
  }

  /** Sends SIGTERM, and SIGKILL after 5 s; resolves when it is gone. */
  async stop(): Promise<void> {
    this.signal("SIGCONT");
    this.signal("SIGTERM");
    const force = setTimeout(() => this.signal("SIGKILL"), 5000);
    await this.#exited;
    clearTimeout(force);
  }

  /** SIGKILL: no goodbye; resolves when it is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#exited;
  }

  /** SIGSTOP; where that can be seen it returns when all threads stand still: until then they may answer. */
  pause(): void {
    this.signal("SIGSTOP");
    const deadline = performance.now() + longestStop;
    while (!standsStill(this.pid) && performance.now() < deadline);
  }

  /** `process.kill` rather than `child.kill`, which works only once on Deno. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) process.kill(this.#child.pid, signal);
  }
}

/** Whether the kernel has stopped every thread of a process; true where it does not tell. */
function standsStill(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  try {
    return readdirSync(tasks).every((task) => {
      const stat = readFileSync(`${tasks}/${task}/stat`, "utf8");
      // behind the name, which may hold anything
      return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
    });
  } catch {
    // a thread ended meanwhile
    return false;
  }
}

/** No server outlives the tests. */
function endWithUs(): void {
  if (cleansUp) return;
  cleansUp = true;
  process.once("exit", () => {
    for (const child of running) child.kill("SIGKILL");
  });
}
