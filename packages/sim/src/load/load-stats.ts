/** What a load has done since it was made. */
export interface LoadStats {
  readonly sent: number;
  /** Answered with a status below 400, to the end. */
  readonly succeeded: number;
  /** Answered with an error, broken off or timed out. */
  readonly failed: number;
  /** Not sent: too many were under way. */
  readonly skipped: number;
  readonly inFlight: number;
  /** As the servers counted them. */
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Stats that can be counted up. */
export type MutableLoadStats = { -readonly [Key in keyof LoadStats]: LoadStats[Key] };

/** All zero. */
export function createLoadStats(): MutableLoadStats {
  return {
    sent: 0,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    inFlight: 0,
    promptTokens: 0,
    completionTokens: 0,
  };
}

/** Adds the token counts that a complete answer, streamed or not, ends with. */
export function addUsage(stats: MutableLoadStats, answer: string): void {
  const count = (name: string): number =>
    Number(answer.match(new RegExp(`"${name}":(\\d+)`))?.[1] ?? 0);
  stats.promptTokens += count("prompt_tokens");
  stats.completionTokens += count("completion_tokens");
}
