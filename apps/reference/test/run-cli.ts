import { main } from "../src/cli/program.ts";

/** What a command printed and how it ended. */
export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Of output that is read, and input that goes on. */
export const never: AbortSignal = new AbortController().signal;

/** Runs the CLI in this process, as `muster` would with these arguments. */
export async function runCli(
  args: readonly string[],
  signal: AbortSignal = new AbortController().signal,
  env: Readonly<Record<string, string>> = {},
): Promise<CliRun> {
  let out = "";
  let err = "";
  const code = await main(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env,
    signal,
    drained: () => undefined,
    outputGone: never,
    inputEnd: () => never,
  });
  return { code, out, err };
}
