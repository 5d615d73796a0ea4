/** What a command may touch of its process; tests give their own. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Exit codes, the same for every command. */
export const exit = { ok: 0, failed: 1, usage: 2 } as const;
