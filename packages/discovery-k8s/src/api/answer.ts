import type { IncomingMessage } from "node:http";
import { MusterError } from "@muster/core";
import type { KubeExchange } from "./connection.ts";
import { networkError } from "./network-error.ts";
import { quote } from "./quote.ts";

/** Bytes of one answer: far above a page of 500 objects, far below the heap. */
const maxBody = 256 * 1024 * 1024;
/** Bytes of the page of an error that are read; what comes after them is cut off. */
const maxErrorBody = 64 * 1024;

/**
 * The answer, if it is as it was asked for. What compresses in between would hold back the lines of a watch,
 * too.
 *
 * @throws MusterError KUBE_RESPONSE
 */
export function refuseEncoded(
  answer: IncomingMessage,
  { method, path }: KubeExchange,
): IncomingMessage {
  const encoding = encodingOf(answer);
  if (encoding === undefined) return answer;
  answer.destroy();
  throw new MusterError(
    "KUBE_RESPONSE",
    `${method} ${path}: the answer is in ${encoding}, although none was asked for: have no proxy compress it`,
  );
}

/** Undefined: none. */
function encodingOf({ headers }: IncomingMessage): string | undefined {
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  return encoding === "" || encoding === "identity" ? undefined : quote(encoding);
}

/**
 * Hands on each chunk; settles when the answer has ended, however it did, or the exchange's signal
 * aborts. False from `onChunk` is enough of it.
 */
export function consume(
  answer: IncomingMessage,
  exchange: KubeExchange,
  onChunk: (chunk: Uint8Array) => boolean,
): Promise<void> {
  const { signal } = exchange;
  return new Promise<void>((resolve, reject) => {
    const settle = (finish: () => void): void => {
      signal.removeEventListener("abort", abort);
      finish();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const abort = (): void => {
      answer.destroy();
      fail(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    answer.on("data", (chunk: Uint8Array) => {
      try {
        if (onChunk(chunk)) return;
        answer.destroy();
        settle(resolve);
      } catch (error) {
        answer.destroy();
        fail(error);
      }
    });
    answer.on("error", (error) => fail(networkError(error, exchange)));
    answer.on("end", () => {
      if (answer.complete) settle(resolve);
    });
    answer.on("close", () => fail(networkError(new Error("the connection broke"), exchange)));
  });
}

/** The whole text of an answer. @throws MusterError KUBE_TOO_LARGE, KUBE_UNAVAILABLE */
export async function readBody(answer: IncomingMessage, exchange: KubeExchange): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  await consume(answer, exchange, (chunk) => {
    size += chunk.byteLength;
    if (size > maxBody)
      throw new MusterError("KUBE_TOO_LARGE", `${exchange.path}: more than ${maxBody} bytes`);
    chunks.push(chunk);
    return true;
  });
  return Buffer.concat(chunks).toString("utf8");
}

/** The beginning of the text of an answer, enough for a `Status` object. */
export async function readErrorBody(
  answer: IncomingMessage,
  exchange: KubeExchange,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  await consume(answer, exchange, (chunk) => {
    size += chunk.byteLength;
    chunks.push(chunk);
    return size < maxErrorBody;
  });
  const encoding = encodingOf(answer);
  return encoding ? `(in ${encoding})` : Buffer.concat(chunks).toString("utf8");
}

/** Reads the text of an answer. @throws MusterError KUBE_RESPONSE unless it is a JSON object */
export function parseBody(
  text: string,
  { method, path }: KubeExchange,
  parse: (text: string) => unknown = JSON.parse,
): object {
  let cause: unknown;
  try {
    const value = parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    // reported below, with what it was instead
    cause = error;
  }
  const start = JSON.stringify(text.slice(0, 80));
  throw new MusterError("KUBE_RESPONSE", `${method} ${path}: no JSON object but ${start}`, {
    cause,
  });
}
