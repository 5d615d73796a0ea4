import { type SpawnOptions, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";

/** Limits of one run of an exec plugin. */
export interface ExecLimits {
  /** ms; default 60,000. */
  readonly timeout?: number | undefined;
  /** Bytes of all that it says; default 1 MiB. */
  readonly maxOutput?: number | undefined;
}

/** How the exec plugin of a kubeconfig ran. */
export interface ExecRun {
  /** Why it gave no credentials; undefined before it ended, and when it ended well. */
  readonly problem: string | undefined;
}

/**
 * Has the client library run exec plugins within limits: by itself it waits for ever for one that hangs, or
 * that asks something on its input, and puts all that one says on standard error, which may be secrets, into
 * its errors. Nothing of that run keeps the process alive.
 */
export function limitExecPlugins(config: KubeConfig, limits: ExecLimits = {}): ExecRun {
  const run = new LimitedRun(limits);
  const { authenticators } = config as unknown as { readonly authenticators: readonly object[] };
  for (const authenticator of authenticators)
    if ("execFn" in authenticator) Object.assign(authenticator, { execFn: run.spawn });
  return run;
}

class LimitedRun implements ExecRun {
  readonly #timeout: number;
  readonly #maxOutput: number;
  problem: string | undefined;

  constructor({ timeout = 60_000, maxOutput = 1024 * 1024 }: ExecLimits) {
    this.#timeout = timeout;
    this.#maxOutput = maxOutput;
  }

  readonly spawn = (command: string, args: readonly string[] | null, options: SpawnOptions) => {
    const child = spawn(command, args ?? [], { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const streams: readonly (Readable & { unref?(): void })[] = [child.stdout, child.stderr];
    const blame = (what: string): void => {
      this.problem ??= `exec plugin "${command}" ${what}; run it by hand to see why`;
    };
    const stop = (why: string): void => {
      blame(why);
      child.kill("SIGKILL");
      // what it started itself may hold them open
      for (const stream of streams) stream.destroy();
    };
    const timer = setTimeout(() => stop(`took longer than ${this.#timeout} ms`), this.#timeout);
    let size = 0;
    for (const stream of streams)
      stream.on("data", (chunk: { readonly length: number }) => {
        size += chunk.length;
        if (size > this.#maxOutput) stop(`said more than ${this.#maxOutput} bytes`);
      });
    child.on("exit", (code, signal) => {
      if (code !== 0) blame(`ended with ${code === null ? signal : `code ${code}`}`);
    });
    child.on("close", () => clearTimeout(timer));
    for (const part of [child, timer, ...streams]) part.unref?.();
    return child;
  };
}
