/** What a command may touch of its process; tests give their own. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /**
   * Waits until whoever reads the output has taken most of it, has gone, or the signal aborts; undefined
   * when there is nothing to wait for. For those who write without end.
   */
  readonly drained: (signal: AbortSignal) => Promise<void> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Aborts when whoever read the output has gone. */
  readonly outputGone: AbortSignal;
  /** Starts to read the input, and aborts when it ends. */
  readonly inputEnd: () => AbortSignal;
}

/** Exit codes, the same for every command. */
export const exit = { ok: 0, failed: 1, usage: 2 } as const;

/** Resolves when one of the signals aborts. */
export function anyAborted(...signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals]);
  if (any.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    any.addEventListener("abort", () => resolve(), { once: true });
  });
}
