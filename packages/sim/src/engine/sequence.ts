/** Why a request ended, in the engines' words. */
export type FinishReason = "stop" | "length" | "abort" | "error";

/** What an engine needs to know of a request. */
export interface SequenceInit {
  readonly promptTokens: number;
  /** Tokens of the prompt that are in the prefix cache: not computed. */
  readonly cachedTokens: number;
  /** How many tokens it generates unless it is aborted. */
  readonly outputTokens: number;
  /** Whether it then ends by itself or because it may not go on. */
  readonly ending: "stop" | "length";
  /** The request's `max_tokens`, or what the engine put in its place. */
  readonly maxTokens: number;
  /** The adapter, unless it is for the base model. */
  readonly lora: string | undefined;
  readonly onTokens: (count: number) => void;
  readonly onFinish: (reason: FinishReason) => void;
}

/** A request on its way through a rank. Times are the clock's monotonic ms. */
export interface Sequence extends SequenceInit {
  state: "waiting" | "running" | "finished";
  /** Tokens still to be computed before the next one is generated. */
  prefillLeft: number;
  generated: number;
  /** Tokens due but not generated, less than one. */
  credit: number;
  blocks: number;
  preemptions: number;
  readonly arrivedAt: number;
  startedAt: number | undefined;
  firstTokenAt: number | undefined;
  lastTokenAt: number;
}

/** Puts a request into its first state. */
export function createSequence(init: SequenceInit, now: number): Sequence {
  return {
    ...init,
    state: "waiting",
    prefillLeft: init.promptTokens - init.cachedTokens,
    generated: 0,
    credit: 0,
    blocks: 0,
    preemptions: 0,
    arrivedAt: now,
    startedAt: undefined,
    firstTokenAt: undefined,
    lastTokenAt: now,
  };
}
