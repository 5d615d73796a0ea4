/**
 * What an engine observes in histograms: tokens, or seconds. Each engine's page has some of them
 * under its own names and with its own buckets.
 */
export type Measure =
  | "promptTokens"
  | "generationTokens"
  | "maxTokens"
  | "requestedMaxTokens"
  | "choices"
  | "cachedTokens"
  | "computedTokens"
  | "iterationTokens"
  | "prefillBatchTokens"
  | "preemptions"
  | "timeToFirstToken"
  | "interTokenLatency"
  | "timePerOutputToken"
  | "endToEnd"
  | "queueTime"
  | "prefillTime"
  | "decodeTime"
  | "inferenceTime";

/** Takes an observation, or several equal ones. */
export type Observe = (measure: Measure, value: number, times?: number) => void;
