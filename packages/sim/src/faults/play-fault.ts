import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Clock } from "@muster/core";
import type { Fault, FaultKind } from "./fault.ts";

/** What a fault may need. */
export interface FaultStage {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly contentType: string;
  /** The page as it is, with every gauge NaN, or as it was when the fault was switched on. */
  readonly page: (variant: "live" | "nan" | "frozen") => string;
}

/** Answers one request as the fault says; the connection's end is the only thing waited for. */
export function playFault(fault: Fault, stage: FaultStage): void {
  players[fault.kind]?.(fault, stage);
}

type Player = (fault: Fault, stage: FaultStage) => void;

const players: { readonly [Kind in FaultKind]?: Player } = {
  hang: () => undefined,
  reset: (_fault, { response }) => breakConnection(response),
  status: (fault, { response }) =>
    answer(response, fault.status ?? 500, statusHeaders(fault), statusBody(fault)),
  redirect: ({ status = 302, location = "/" }, { response }) =>
    answer(response, status, { location }, ""),
  html: (_fault, { response }) =>
    answer(response, 200, { "content-type": "text/html; charset=utf-8" }, loginPage),
  nan: (_fault, stage) => answerPage(stage, "nan"),
  freeze: (_fault, stage) => answerPage(stage, "frozen"),
  "content-type": ({ contentType = "" }, stage) => answerPage({ ...stage, contentType }, "live"),
  truncated: (_fault, stage) => truncate(stage),
  "slow-body": (fault, stage) => drip(stage, fault.bytesPerSecond ?? 1024),
  huge: (fault, stage) => void flood(fault, stage),
  "gzip-bomb": (fault, stage) => void flood(fault, stage),
};

function answerPage(
  { response, contentType, page }: FaultStage,
  variant: "live" | "nan" | "frozen",
): void {
  answer(response, 200, { "content-type": contentType }, page(variant));
}

const loginPage =
  "<!doctype html><html><head><title>Sign in</title></head><body><form><input name=user></form></body></html>\n";

function answer(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...headers, "content-length": body.length }).end(body);
}

function statusHeaders({ status }: Fault): Readonly<Record<string, string>> {
  const headers = { "content-type": "application/json" };
  return status === 401 ? { ...headers, "www-authenticate": "Bearer" } : headers;
}

function statusBody({ status = 500 }: Fault): string {
  const error = { message: `simulated status ${status}`, type: "SimulatedFault", param: null };
  return JSON.stringify({ error: { ...error, code: status } });
}

/** With a TCP reset where the runtime can send one. */
function breakConnection(response: ServerResponse): void {
  const socket = response.socket;
  if (typeof socket?.resetAndDestroy === "function") socket.resetAndDestroy();
  else socket?.destroy();
}

/** Promises the whole page, sends half of it and closes. */
function truncate({ response, contentType, page }: FaultStage): void {
  const body = Buffer.from(page("live"));
  response.writeHead(200, { "content-type": contentType, "content-length": body.length });
  response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
}

function drip({ response, contentType, page, clock }: FaultStage, bytesPerSecond: number): void {
  const body = Buffer.from(page("live"));
  const size = Math.max(1, Math.round(bytesPerSecond / 10));
  let sent = 0;
  let cancel = (): void => undefined;
  const next = (): void => {
    response.write(body.subarray(sent, sent + size));
    sent += size;
    if (sent >= body.length) response.end();
    else cancel = clock.schedule(next, Math.max(1, (size * 1000) / bytesPerSecond));
  };
  response.writeHead(200, { "content-type": contentType, "content-length": body.length });
  response.on("close", () => cancel());
  next();
}

/** The page, then samples of no use until the size is reached. */
async function flood(fault: Fault, { response, contentType, page }: FaultStage): Promise<void> {
  const source = Readable.from(samples(page("live"), fault.bytes ?? 0));
  try {
    if (fault.kind === "huge") {
      response.writeHead(200, { "content-type": contentType });
      await pipeline(source, response);
    } else {
      response.writeHead(200, { "content-type": contentType, "content-encoding": "gzip" });
      await pipeline(source, createGzip(), response);
    }
  } catch {
    // the client gave up, which is what the fault is for
    response.destroy();
  }
}

function* samples(page: string, bytes: number): Generator<Buffer> {
  const line = 'sim_filler{of="a page that is far too large"} 1.0\n';
  const chunk = Buffer.from(line.repeat(1024));
  yield Buffer.from(page);
  for (let left = bytes - page.length; left > 0; left -= chunk.length)
    yield left < chunk.length ? Buffer.from(line.repeat(Math.ceil(left / line.length))) : chunk;
}
