import type { Observe } from "./measures.ts";
import { createSequence, type FinishReason, type Sequence, type SequenceInit } from "./sequence.ts";
import { createTotals, type LoadView, type Totals } from "./totals.ts";

/** What limits one rank. */
export interface RankLimits {
  readonly maxRunning: number;
  readonly maxLoras: number;
  readonly blockSize: number;
  readonly numBlocks: number;
  readonly prefillTokensPerSecond: number;
  readonly decodeTokensPerSecond: number;
  readonly batchTokensPerSecond: number;
}

/**
 * One data-parallel rank: a queue, a running batch and a KV cache, moved on by {@link Rank.step}.
 * Admission is first come, first served; a request whose adapter has no place is passed over. When
 * the cache is full the youngest running request is preempted and computed again later.
 */
export class Rank implements LoadView {
  readonly totals: Totals = createTotals();
  readonly numBlocks: number;
  readonly #limits: RankLimits;
  readonly #observe: Observe;
  readonly #waiting: Sequence[] = [];
  readonly #running: Sequence[] = [];
  usedBlocks = 0;
  deferred = 0;
  throughput = 0;

  constructor(limits: RankLimits, observe: Observe) {
    this.#limits = limits;
    this.#observe = observe;
    this.numBlocks = limits.numBlocks;
  }

  get running(): number {
    return this.#running.length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get prefilling(): number {
    return this.#running.filter((sequence) => sequence.prefillLeft > 0).length;
  }

  get usedTokens(): number {
    return this.#running.reduce((sum, one) => sum + one.promptTokens + one.generated, 0);
  }

  get kvUsage(): number {
    return this.usedBlocks / this.numBlocks;
  }

  /** Adapters with a request in the state. */
  loras(state: "running" | "waiting"): Set<string> {
    const names = new Set<string>();
    for (const { lora } of state === "running" ? this.#running : this.#waiting)
      if (lora !== undefined) names.add(lora);
    return names;
  }

  submit(init: SequenceInit, now: number): Sequence {
    const sequence = createSequence(init, now);
    this.totals.requests++;
    this.#waiting.push(sequence);
    this.#admit(now);
    return sequence;
  }

  /** Takes a request out and frees its place; nothing happens to one that has ended. */
  abort(sequence: Sequence, reason: "abort" | "error", now: number): void {
    if (sequence.state === "finished") return;
    remove(sequence.state === "running" ? this.#running : this.#waiting, sequence);
    this.#finish(sequence, reason);
    this.#admit(now);
  }

  /** Ends every request. */
  abortAll(reason: "abort" | "error"): void {
    for (const sequence of [...this.#running.splice(0), ...this.#waiting.splice(0)])
      this.#finish(sequence, reason);
    this.deferred = 0;
    this.throughput = 0;
  }

  /** Does `elapsed` ms of work that ends `now`. */
  step(elapsed: number, now: number): void {
    const batch = [...this.#running];
    const decoding = batch.filter((sequence) => sequence.prefillLeft === 0).length;
    const { decodeTokensPerSecond, batchTokensPerSecond, prefillTokensPerSecond } = this.#limits;
    const rate = Math.min(decodeTokensPerSecond, batchTokensPerSecond / Math.max(1, decoding));
    const budget = Math.max(1, Math.round((prefillTokensPerSecond * elapsed) / 1000));
    const before = this.totals.generatedTokens;
    let computed = 0;
    for (const sequence of batch) {
      if (sequence.state !== "running") continue;
      if (sequence.prefillLeft > 0) computed += this.#prefill(sequence, budget - computed, now);
      else this.#decode(sequence, (rate * elapsed) / 1000, now);
    }
    this.totals.computedTokens += computed;
    this.#observeStep(computed, this.totals.generatedTokens - before, elapsed);
    this.#admit(now);
  }

  #observeStep(computed: number, generated: number, elapsed: number): void {
    this.throughput = elapsed > 0 ? (generated * 1000) / elapsed : 0;
    if (computed + generated === 0) return;
    this.totals.steps++;
    this.#observe("iterationTokens", computed + generated);
    if (computed > 0) this.#observe("prefillBatchTokens", computed);
  }

  #prefill(sequence: Sequence, budget: number, now: number): number {
    const tokens = Math.min(budget, sequence.prefillLeft);
    sequence.prefillLeft -= tokens;
    if (sequence.prefillLeft === 0) this.#generate(sequence, 1, now);
    return tokens;
  }

  #decode(sequence: Sequence, due: number, now: number): void {
    sequence.credit += due;
    const tokens = Math.floor(sequence.credit);
    if (tokens === 0) return;
    sequence.credit -= tokens;
    this.#generate(sequence, tokens, now);
  }

  #generate(sequence: Sequence, due: number, now: number): void {
    const tokens = Math.min(due, sequence.outputTokens - sequence.generated);
    if (!this.#grow(sequence, tokens)) return;
    const sinceLast = (now - sequence.lastTokenAt) / 1000;
    sequence.generated += tokens;
    sequence.lastTokenAt = now;
    this.totals.generatedTokens += tokens;
    if (sequence.firstTokenAt === undefined) {
      sequence.firstTokenAt = now;
      this.totals.promptTokens += sequence.promptTokens;
      this.totals.cachedTokens += sequence.cachedTokens;
      this.#observe("timeToFirstToken", (now - sequence.arrivedAt) / 1000);
    } else this.#observe("interTokenLatency", sinceLast / tokens, tokens);
    sequence.onTokens(tokens);
    if (sequence.generated < sequence.outputTokens || sequence.state !== "running") return;
    remove(this.#running, sequence);
    this.#finish(sequence, sequence.ending);
  }

  /** Makes room for more tokens of a running request; false when it had to leave itself. */
  #grow(sequence: Sequence, tokens: number): boolean {
    const needed = this.#blocksFor(sequence.promptTokens + sequence.generated + tokens);
    while (sequence.blocks < needed) {
      if (this.usedBlocks < this.numBlocks) {
        sequence.blocks++;
        this.usedBlocks++;
        continue;
      }
      const youngest = this.#running.at(-1) ?? sequence;
      this.#preempt(youngest);
      if (youngest === sequence) return false;
    }
    return true;
  }

  #preempt(sequence: Sequence): void {
    remove(this.#running, sequence);
    this.#release(sequence);
    sequence.state = "waiting";
    sequence.preemptions++;
    sequence.credit = 0;
    sequence.prefillLeft = sequence.promptTokens + sequence.generated;
    this.totals.preemptions++;
    this.#waiting.unshift(sequence);
  }

  #admit(now: number): void {
    const loras = this.loras("running");
    this.deferred = 0;
    for (let index = 0; index < this.#waiting.length; ) {
      const sequence = this.#waiting[index] as Sequence;
      if (this.#running.length >= this.#limits.maxRunning) return;
      if (sequence.lora !== undefined && !loras.has(sequence.lora)) {
        if (loras.size >= this.#limits.maxLoras) {
          this.deferred++;
          index++;
          continue;
        }
      }
      const blocks = this.#blocksFor(sequence.promptTokens + sequence.generated);
      if (this.usedBlocks + blocks > this.numBlocks) return;
      if (sequence.lora !== undefined) loras.add(sequence.lora);
      this.#waiting.splice(index, 1);
      this.#start(sequence, blocks, now);
    }
  }

  #start(sequence: Sequence, blocks: number, now: number): void {
    sequence.state = "running";
    sequence.blocks = blocks;
    this.usedBlocks += blocks;
    this.#running.push(sequence);
    if (sequence.startedAt !== undefined) return;
    sequence.startedAt = now;
    this.#observe("queueTime", (now - sequence.arrivedAt) / 1000);
  }

  #finish(sequence: Sequence, reason: FinishReason): void {
    sequence.state = "finished";
    this.#release(sequence);
    this.totals[reason]++;
    observeFinished(sequence, this.#observe);
    sequence.onFinish(reason);
  }

  #release(sequence: Sequence): void {
    this.usedBlocks -= sequence.blocks;
    sequence.blocks = 0;
  }

  #blocksFor(tokens: number): number {
    return Math.ceil(tokens / this.#limits.blockSize);
  }
}

function remove(from: Sequence[], sequence: Sequence): void {
  const index = from.indexOf(sequence);
  if (index !== -1) from.splice(index, 1);
}

/** Only requests that produced something show in the histograms, as in the engines. */
function observeFinished(sequence: Sequence, observe: Observe): void {
  const { startedAt, firstTokenAt, lastTokenAt, arrivedAt } = sequence;
  if (startedAt === undefined || firstTokenAt === undefined) return;
  observe("promptTokens", sequence.promptTokens);
  observe("generationTokens", sequence.generated);
  observe("maxTokens", sequence.outputTokens);
  observe("requestedMaxTokens", sequence.maxTokens);
  observe("choices", 1);
  observe("cachedTokens", sequence.cachedTokens);
  observe("computedTokens", sequence.promptTokens - sequence.cachedTokens);
  observe("preemptions", sequence.preemptions);
  observe("endToEnd", (lastTokenAt - arrivedAt) / 1000);
  observe("prefillTime", (firstTokenAt - startedAt) / 1000);
  observe("decodeTime", (lastTokenAt - firstTokenAt) / 1000);
  observe("inferenceTime", (lastTokenAt - startedAt) / 1000);
  if (sequence.generated > 1)
    observe("timePerOutputToken", (lastTokenAt - firstTokenAt) / 1000 / (sequence.generated - 1));
}
