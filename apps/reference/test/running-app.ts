import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { main } from "../src/cli/program.ts";
import { never } from "./run-cli.ts";
import type { Shown, ShownEndpoint } from "./shapes.ts";

/** The app running in this process, as `muster run` runs it. */
export interface RunningApp extends AsyncDisposable {
  readonly url: string;
  /** All endpoints by name. */
  endpoints(): Promise<ReadonlyMap<string, ShownEndpoint>>;
  /** Waits until the endpoints are as the predicate wants them. */
  until(what: (endpoints: ReadonlyMap<string, ShownEndpoint>) => boolean): Promise<void>;
  /** Ends it and gives the exit code. */
  stop(): Promise<number>;
}

/** Makes a folder for a test. */
export async function testFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "muster-app-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Starts `muster run` with the configuration, on a free port. */
export async function runApp(folder: string, config: string): Promise<RunningApp> {
  const file = join(folder, "muster.yaml");
  await writeFile(file, config);
  return runAppWith(["--config", file]);
}

/** Starts `muster run` with these flags and this environment, on a free port. */
export async function runAppWith(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningApp> {
  const ending = new AbortController();
  let out = "";
  let err = "";
  const ended = main(["run", ...flags, "--port", "0", "--log-level", "silent"], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env,
    signal: ending.signal,
    drained: () => undefined,
    outputGone: never,
    inputEnd: () => never,
  });
  await Promise.race([
    vi.waitUntil(() => out.includes("\n"), { timeout: 10_000, interval: 20 }),
    ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${err}`))),
  ]);
  const url = out.trim();
  const endpoints = async (): Promise<ReadonlyMap<string, ShownEndpoint>> => {
    const shown = (await (await fetch(`${url}/api/endpoints`)).json()) as Shown;
    return new Map(shown.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  };
  const stop = (): Promise<number> => {
    ending.abort("test ended");
    return ended;
  };
  return {
    url,
    endpoints,
    until: async (what) => {
      await vi.waitUntil(async () => what(await endpoints()), { timeout: 8000, interval: 30 });
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
