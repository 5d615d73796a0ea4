import type { Clock } from "@muster/core";
import type { LoraUsage } from "./lora-usage.ts";
import type { Observe } from "./measures.ts";
import { Rank, type RankLimits } from "./rank.ts";
import type { Sequence, SequenceInit } from "./sequence.ts";

/** What an engine is made of. */
export interface EngineOptions {
  readonly limits: RankLimits;
  readonly maxWaiting: number;
  /** Ms between two steps. */
  readonly stepInterval: number;
  readonly clock: Clock;
  /** One for each rank: where its observations go. */
  readonly observers: readonly Observe[];
  readonly loras: LoraUsage;
}

/** A request that was accepted. */
export interface Submitted {
  /** Ends it early: its client has gone. */
  abort(): void;
}

/** All ranks of one server, moved on by one timer as long as there is work. */
export class Engine {
  readonly ranks: readonly Rank[];
  readonly #options: EngineOptions;
  #cancelStep: (() => void) | undefined;
  #steppedAt = 0;
  #halted = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.ranks = options.observers.map((observe) => new Rank(options.limits, observe));
  }

  /** Queues a request on the given rank, else on the least loaded; `undefined` when its queue is full. */
  submit(init: SequenceInit, rankIndex?: number): Submitted | undefined {
    const { clock, loras, maxWaiting } = this.#options;
    const rank = rankIndex === undefined ? this.#leastLoaded() : this.ranks[rankIndex];
    if (this.#halted || rank === undefined || rank.waiting >= maxWaiting) return undefined;
    if (init.lora !== undefined) loras.markUsed();
    const sequence: Sequence = rank.submit(init, clock.monotonic());
    this.#keepStepping();
    return { abort: () => rank.abort(sequence, "abort", clock.monotonic()) };
  }

  /** Ends every request with an error, and the timer; nothing is accepted any more. */
  halt(): void {
    this.#halted = true;
    this.#cancelStep?.();
    this.#cancelStep = undefined;
    for (const rank of this.ranks) rank.abortAll("error");
  }

  #leastLoaded(): Rank | undefined {
    const load = (rank: Rank): number => rank.waiting * 4 + rank.running;
    return this.ranks.reduce((least, rank) => (load(rank) < load(least) ? rank : least));
  }

  #keepStepping(): void {
    if (this.#cancelStep !== undefined) return;
    this.#steppedAt = this.#options.clock.monotonic();
    this.#schedule();
  }

  #schedule(): void {
    this.#cancelStep = this.#options.clock.schedule(() => this.#step(), this.#options.stepInterval);
  }

  /** Ends with one step without work, which shows the idle state. */
  #step(): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const elapsed = now - this.#steppedAt;
    this.#steppedAt = now;
    const busy = this.ranks.some((rank) => rank.running + rank.waiting > 0);
    for (const rank of this.ranks) rank.step(elapsed, now);
    this.#recordLoras();
    if (busy) this.#schedule();
    else this.#cancelStep = undefined;
  }

  #recordLoras(): void {
    const { loras, clock } = this.#options;
    if (!loras.used) return;
    const names = (state: "running" | "waiting"): Set<string> =>
      new Set(this.ranks.flatMap((rank) => [...rank.loras(state)]));
    loras.record(names("running"), names("waiting"), clock.now());
  }
}
