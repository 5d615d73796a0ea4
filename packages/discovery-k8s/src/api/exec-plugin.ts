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
 * its errors. The process need not live until the plugin ends: who waits for it has to keep it alive.
 */
export function limitExecPlugins(config: KubeConfig, limits: ExecLimits = {}): ExecRun {
  const run = new LimitedRun(limits);
  const { authenticators } = config as unknown as { readonly authenticators: readonly object[] };
  for (const authenticator of authenticators)
    if ("execFn" in authenticator) Object.assign(authenticator, { execFn: run.spawn });
  return run;
}

type Output = Readable & { unref?(): void };

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
    // there are none where it could not be started, on some runtimes
    const given: readonly (Output | null)[] = [child.stdout, child.stderr];
    const streams = given.filter((stream) => stream !== null);
    const blame = (what: string): void => {
      this.problem ??= `exec plugin "${command}" ${what}; run it by hand to see why`;
    };
    child.on("error", () => blame("could not be started"));
    if (child.pid === undefined) blame("could not be started");
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
