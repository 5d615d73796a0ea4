import { type Agent, request } from "node:http";

/** A request to make. */
export interface ClientRequest {
  readonly url: URL;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  /** JSON to post; without it the request is a GET. */
  readonly body?: string | undefined;
}

/** An answer whose body was read to its end. */
export interface ClientAnswer {
  readonly status: number;
  /** The last characters of the body, all of it when it is short. */
  readonly tail: string;
}

const maxTail = 256 * 1024;

/** Makes a request and reads the answer; rejects when the connection breaks or the signal aborts. */
export function send({ url, agent, signal, body }: ClientRequest): Promise<ClientAnswer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    const outgoing = request(url, { agent, method, headers }, (incoming) => {
      let tail = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (text: string) => {
        tail = (tail + text).slice(-maxTail);
      });
      incoming.on("error", reject);
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, tail }));
      incoming.on("close", () => reject(new Error("the connection broke within the answer")));
    });
    const abort = (): void => {
      outgoing.destroy(new Error("aborted"));
      reject(new Error("aborted"));
    };
    outgoing.on("error", reject);
    outgoing.on("close", () => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    outgoing.end(body);
  });
}
