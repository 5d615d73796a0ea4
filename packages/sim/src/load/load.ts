import { Agent } from "node:http";
import { messageOf } from "@muster/core";
import { createRandom, deriveSeed, type Random } from "../random.ts";
import { type Arrival, arrivals } from "./arrivals.ts";
import { send } from "./http-client.ts";
import {
  type LoadOptions,
  type LoadSettings,
  type LoadTarget,
  resolveLoadOptions,
} from "./load-options.ts";
import { addUsage, createLoadStats, type LoadStats } from "./load-stats.ts";
import { createModelPicker, type ModelPicker } from "./model-picker.ts";

/** A stream of real requests to model servers. */
export interface Load extends AsyncDisposable {
  readonly state: "idle" | "running" | "stopped";
  /** Begins to send. Idempotent; a stopped load begins again, with the same requests. */
  start(): void;
  /** Breaks off what is under way and closes every connection. Idempotent. */
  stop(): Promise<void>;
  stats(): LoadStats;
}

/**
 * Makes a load generator: requests arrive at random, unevenly over the targets and in waves, so that
 * queues fill and empty. A seed fixes which requests are sent when; it does not wait for answers.
 *
 * @throws MusterError CONFIG_INVALID with every problem.
 */
export function createLoad(options: LoadOptions): Load {
  return new LoadGenerator(resolveLoadOptions(options));
}

interface Run {
  readonly agent: Agent;
  readonly stop: AbortController;
  readonly startedAt: number;
  readonly schedule: Iterator<Arrival, never>;
  readonly random: Random;
  readonly pickers: readonly ModelPicker[];
  readonly underWay: Set<Promise<void>>;
  cancelTimer: () => void;
}

/** Ms by which an arrival may be early: timers are no finer, and a wait below it might never end. */
const timerSlack = 1;

/** Arrivals handled in one go when the clock has jumped. */
const maxBurst = 1000;

class LoadGenerator implements Load {
  readonly #settings: LoadSettings;
  readonly #stats = createLoadStats();
  #run: Run | undefined;
  state: "idle" | "running" | "stopped" = "idle";

  constructor(settings: LoadSettings) {
    this.#settings = settings;
  }

  start(): void {
    if (this.#run !== undefined) return;
    this.state = "running";
    const run = startRun(this.#settings);
    this.#run = run;
    this.#await(run, run.schedule.next().value);
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    this.state = "stopped";
    run.cancelTimer();
    run.stop.abort();
    await Promise.all(run.underWay);
    run.agent.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  stats(): LoadStats {
    return { ...this.#stats };
  }

  /** Sets the timer for an arrival; then sends it and all that are due by then. */
  #await(run: Run, arrival: Arrival): void {
    const { clock } = this.#settings;
    const elapsed = (): number => clock.monotonic() - run.startedAt;
    const send = (): void => {
      let next = arrival;
      for (let burst = 0; next.at <= elapsed() + timerSlack && burst < maxBurst; burst++) {
        this.#send(run, next);
        next = run.schedule.next().value;
      }
      this.#await(run, next);
    };
    run.cancelTimer = clock.schedule(send, Math.max(0, arrival.at - elapsed()));
  }

  #send(run: Run, arrival: Arrival): void {
    const { promptTokens, maxTokens, streaming, concurrency } = this.#settings;
    const plan = {
      prompt: run.random.integer(promptTokens.min, promptTokens.max),
      max: run.random.integer(maxTokens.min, maxTokens.max),
      stream: run.random.next() < streaming,
      chat: run.random.next() < 0.7,
    };
    if (run.underWay.size >= concurrency) {
      this.#stats.skipped++;
      return;
    }
    this.#stats.sent++;
    this.#stats.inFlight++;
    const done = this.#request(run, arrival, plan).then(() => {
      this.#stats.inFlight--;
      run.underWay.delete(done);
    });
    run.underWay.add(done);
  }

  async #request(run: Run, arrival: Arrival, plan: RequestPlan): Promise<void> {
    const { clock, timeout, targets, logger } = this.#settings;
    const { url } = targets[arrival.target] as LoadTarget;
    const giveUp = new AbortController();
    const cancel = clock.schedule(() => giveUp.abort(), timeout);
    const signal = AbortSignal.any([giveUp.signal, run.stop.signal]);
    try {
      const model = await run.pickers[arrival.target]?.pick(arrival.at, signal);
      const path = plan.chat ? "/v1/chat/completions" : "/v1/completions";
      const body = JSON.stringify({ model, ...requestBody(plan) });
      const answer = await send({ url: new URL(path, url), agent: run.agent, signal, body });
      if (answer.status < 400) this.#stats.succeeded++;
      else this.#stats.failed++;
      addUsage(this.#stats, answer.tail);
    } catch (error) {
      // counted rather than thrown: servers that fail are what a simulation is for
      this.#stats.failed++;
      logger.debug({ url, error: messageOf(error) }, "a request of the load failed");
    } finally {
      cancel();
    }
  }
}

interface RequestPlan {
  readonly prompt: number;
  readonly max: number;
  readonly stream: boolean;
  readonly chat: boolean;
}

function requestBody({ prompt, max, stream, chat }: RequestPlan): object {
  const text = "load".repeat(prompt);
  return {
    ...(chat ? { messages: [{ role: "user", content: text }] } : { prompt: text }),
    max_tokens: max,
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  };
}

function startRun(settings: LoadSettings): Run {
  const { seed, clock, targets, rate, period, depth } = settings;
  const random = createRandom(seed);
  const weights = targets.map(({ weight }) => weight ?? 0.5 + random.next());
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const parts = weights.map((weight) => ({ rate: (rate * weight) / total, phase: random.next() }));
  const agent = new Agent({ keepAlive: true });
  return {
    agent,
    random,
    stop: new AbortController(),
    startedAt: clock.monotonic(),
    schedule: arrivals({
      targets: parts,
      period,
      depth,
      random: createRandom(deriveSeed(seed, 0)),
    }),
    pickers: targets.map(({ url, models }, index) =>
      createModelPicker({
        url,
        models,
        agent,
        clock,
        period,
        random: createRandom(deriveSeed(seed, index + 1)),
      }),
    ),
    underWay: new Set(),
    cancelTimer: () => undefined,
  };
}
