import process from "node:process";
import { messageOf } from "@muster/core";

/** Writers for the standard streams. */
export interface StandardStreams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Writers that outlive their readers: `muster inspect URL | head -1` is no failure, and a fleet goes on
 * when whoever read its output has gone. Output that is lost for another reason, such as a full disk,
 * is told on standard error and makes the exit code 1.
 */
export function standardStreams(): StandardStreams {
  let told = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
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
  };
}
