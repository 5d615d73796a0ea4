import type { Clock } from "@muster/core";
import { type Due, DueHeap } from "./due-heap.ts";

/**
 * Runs started in one go before other work of the process gets its turn: few, so that a late scheduler
 * does not open hundreds of requests before it reads one answer, whose memory then outlives collections.
 */
const batch = 16;
/** Timers may fire this early, ms. */
const early = 1;
/** Cancelled tasks that may wait in the heap until their time comes. */
const litter = 1024;

/** Something that runs again and again. */
export interface Task extends Due {
  readonly cancelled: boolean;
  /** When to run after the run that is due now; monotonic ms, later than `now`. */
  next(now: number): number;
  run(now: number): void;
}

/** Options of {@link Scheduler}. */
export interface SchedulerOptions {
  readonly clock: Clock;
  /** Told at each waking how overdue the first task was, ms. */
  readonly onWake?: (lateness: number) => void;
}

/**
 * Runs any number of tasks with one timer, set for whichever is due first. A task that is late does
 * not pile up: it says itself when its next run is.
 */
export class Scheduler {
  readonly #clock: Clock;
  readonly #onWake: ((lateness: number) => void) | undefined;
  readonly #heap = new DueHeap<Task>();
  #state: "idle" | "running" | "waking" | "stopped" = "idle";
  #cancelled = 0;
  #timer: (() => void) | undefined;
  #timerDue = Number.POSITIVE_INFINITY;

  constructor(options: SchedulerOptions) {
    this.#clock = options.clock;
    this.#onWake = options.onWake;
  }

  add(task: Task): void {
    if (this.#state === "stopped") return;
    this.#heap.push(task);
    if (this.#state === "running") this.#arm();
  }

  /** To be told of each task that was cancelled, so that it does not stay in memory for long. */
  forget(count: number): void {
    this.#cancelled += count;
    if (this.#cancelled < litter || this.#cancelled * 2 < this.#heap.size) return;
    if (this.#state === "waking") return;
    this.#heap.retain((task) => !task.cancelled);
    this.#cancelled = 0;
  }

  start(): void {
    if (this.#state !== "idle") return;
    this.#state = "running";
    this.#arm();
  }

  /** Nothing runs after this. */
  stop(): void {
    this.#state = "stopped";
    this.#disarm();
    this.#heap.retain(() => false);
  }

  readonly #wake = (): void => {
    this.#timer = undefined;
    this.#timerDue = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    const first = this.#heap.peek();
    if (first !== undefined) this.#onWake?.(Math.max(0, now - first.due));
    this.#state = "waking";
    for (let ran = 0; ran < batch; ) {
      const task = this.#heap.peek();
      if (task === undefined || task.due > now + early) break;
      if (task.cancelled) {
        this.#heap.pop();
        this.#cancelled = Math.max(0, this.#cancelled - 1);
        continue;
      }
      // before the run, which may add tasks
      this.#heap.reschedule(task, task.next(now));
      task.run(now);
      ran += 1;
      if (this.#isStopped()) return;
    }
    this.#state = "running";
    this.#arm();
  };

  #isStopped(): boolean {
    return this.#state === "stopped";
  }

  #arm(): void {
    const first = this.#heap.peek();
    if (first === undefined || first.due >= this.#timerDue) return;
    this.#disarm();
    this.#timerDue = first.due;
    this.#timer = this.#clock.schedule(
      this.#wake,
      Math.max(0, first.due - this.#clock.monotonic()),
    );
  }

  #disarm(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#timerDue = Number.POSITIVE_INFINITY;
  }
}
