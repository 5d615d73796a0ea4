import { Buffer } from "node:buffer";
import type { ClientRequest, IncomingMessage } from "node:http";
import { type Clock, MusterError } from "@muster/core";
import { onAbort } from "@muster/core/plane";
import type { Connections, GatewayRequest } from "./connections.ts";
import { type Failure, networkFailure, timeoutFailure } from "./gateway-error.ts";

/** Largest answer that is read, bytes. */
const maxBodyBytes = 64 * 1024 * 1024;

/** One POST and its time limit. */
export interface ExchangeOptions {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly request: GatewayRequest;
  /** ms for everything. */
  readonly timeout: number;
  /** Ends it at once, with the failure `aborted`. */
  readonly signal: AbortSignal;
}

/** A complete answer of any status, or why there is none. */
export type Outcome =
  | { readonly status: number; readonly text: string; readonly failure?: undefined }
  | { readonly failure: Failure };

/** One request and its answer; never rejects. Whatever happens, its connection is idle or closed then. */
export function exchange(options: ExchangeOptions): Promise<Outcome> {
  const { connections, clock, request, timeout, signal } = options;
  const { url } = request.endpoint;
  return new Promise((resolve) => {
    let client: ClientRequest | undefined;
    let settled = false;
    const settle = (outcome: Outcome): void => {
      if (settled) return;
      settled = true;
      cancel();
      unlink();
      if (outcome.failure !== undefined) client?.destroy();
      resolve(outcome);
    };
    const fail = (error: unknown): void =>
      settle({ failure: networkFailure(error, url, isHandshaking(client)) });
    const cancel = clock.schedule(() => settle({ failure: timeoutFailure(url, timeout) }), timeout);
    // calls back at once where the signal has aborted
    let unlink = (): void => undefined;
    unlink = onAbort(signal, () => settle({ failure: abortedFailure(url) }));
    connections.open(request).then((opened) => {
      client = opened;
      client.on("error", fail);
      let answer: IncomingMessage | undefined;
      client.on("response", (response) => {
        answer = response;
        receive(response, url, settle);
      });
      client.on("close", () => {
        if (answer?.complete !== true) fail(new Error("the connection was closed"));
      });
      if (settled) client.destroy();
      else client.end(request.body);
    }, fail);
  });
}

/** Whether the connection of a request is still agreeing on TLS. */
function isHandshaking(client: ClientRequest | undefined): boolean {
  return (client?.socket as Partial<TlsHandshake> | null | undefined)?.secureConnecting === true;
}

/** What Node's TLS sockets have, and its types do not. */
interface TlsHandshake {
  readonly secureConnecting: boolean;
}

function receive(answer: IncomingMessage, url: string, settle: (outcome: Outcome) => void): void {
  const chunks: Uint8Array[] = [];
  let size = 0;
  answer.on("data", (chunk: Uint8Array) => {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size <= maxBodyBytes) return;
    const message = `${url}: the answer is larger than ${maxBodyBytes} bytes`;
    const error = new MusterError("STORE_TOO_LARGE", message, { path: url });
    settle({ failure: { error, unsure: true } });
  });
  answer.on("end", () => {
    if (answer.complete)
      settle({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks, size).toString() });
    else settle({ failure: networkFailure(new Error("the answer broke off"), url) });
  });
  answer.on("error", (error) => settle({ failure: networkFailure(error, url) }));
}

/** What the caller makes of it depends on whose signal it was. */
function abortedFailure(url: string): Failure {
  const error = new MusterError("STORE_CLOSED", `${url}: the request was aborted`, { path: url });
  return { error, unsure: true };
}
