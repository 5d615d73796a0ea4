import { main } from "../src/cli/program.ts";

/** What a command printed and how it ended. */
export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the CLI in this process, as `muster` would with these arguments. */
export async function runCli(args: readonly string[], signal?: AbortSignal): Promise<CliRun> {
  let out = "";
  let err = "";
  const code = await main(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: {},
    signal: signal ?? new AbortController().signal,
  });
  return { code, out, err };
}
