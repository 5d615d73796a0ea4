import { readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import type { ModelServerSim } from "@muster/sim";

/** A page of the repository's fixtures. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../../fixtures/metrics/${name}`, import.meta.url), "utf8");
}

/** Waits for something that is about to happen; fails after ten seconds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited too long until ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Posts JSON, or the text as it is. */
export function post(server: ModelServerSim, path: string, body: unknown): Promise<Response> {
  return fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Value of a sample, by its name and labels as the page shows them; `undefined` when it is not there. */
export function sample(page: string, series: string): number | undefined {
  const line = page.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** An answer as it came over the wire, whole or not. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Ended as promised, rather than broken off. */
  readonly complete: boolean;
}

/** Gets a URL without any help; rejects when the connection breaks before an answer. */
export function rawGet(url: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: false, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", () => undefined);
      incoming.on("close", () => {
        const { statusCode: status = 0, headers, complete } = incoming;
        resolve({ status, headers, body: Buffer.concat(chunks), complete });
      });
    });
    outgoing.on("error", reject).end();
  });
}

/** What tests read of the API's answers. */
export interface ApiAnswer {
  readonly id: string;
  readonly choices: readonly {
    readonly message: { readonly content: string };
    readonly delta: { readonly role?: string; readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage: { readonly completion_tokens: number };
  readonly error: {
    readonly code: number;
    readonly param: string | null;
    readonly type: string;
    readonly message: string;
  };
  readonly data: readonly { readonly id: string; readonly parent: string | null }[];
}

/** The JSON of an answer. */
export async function json(response: Response): Promise<ApiAnswer> {
  return (await response.json()) as ApiAnswer;
}
