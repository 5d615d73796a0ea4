import process from "node:process";
import { messageOf } from "@muster/core";
import type { Io } from "./io.ts";

/** The standard streams, as a command may use them. */
export type StandardStreams = Pick<Io, "out" | "err" | "drained" | "outputGone" | "inputEnd">;

/**
 * Writers that outlive their readers: `muster inspect URL | head -1` is no failure, and a fleet goes on
 * when whoever read its output has gone. Output that is lost for another reason, such as a full disk,
 * is told on standard error and makes the exit code 1.
 */
export function standardStreams(): StandardStreams {
  const gone = new AbortController();
  let told = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    gone.abort("nobody reads the output");
    if (error.code === "EPIPE" || told) return;
    told = true;
    process.stderr.write(`muster: cannot write the output: ${messageOf(error)}\n`);
    process.once("exit", (code) => {
      if (code === 0) process.exitCode = 1;
    });
  });
  process.stderr.on("error", () => {
    // nobody is left to be told
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    drained: (signal) => drainOf(process.stdout, [signal, gone.signal]),
    outputGone: gone.signal,
    inputEnd: endOfInput,
  };
}

function drainOf(
  stream: NodeJS.WriteStream,
  signals: readonly AbortSignal[],
): Promise<void> | undefined {
  if (!stream.writableNeedDrain || signals.some(({ aborted }) => aborted)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done);
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    stream.on("drain", done);
    for (const signal of signals) signal.addEventListener("abort", done);
  });
}

function endOfInput(): AbortSignal {
  const ended = new AbortController();
  const end = (): void => ended.abort("the input ended");
  process.stdin.on("end", end).on("close", end).on("error", end).resume();
  return ended.signal;
}
