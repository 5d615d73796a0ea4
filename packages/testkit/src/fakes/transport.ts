import { MusterError } from "@muster/core";

/** One GET, as `@muster/source-prometheus` asks its transport. */
export interface FakeRequest {
  readonly target: {
    readonly scheme: "http" | "https";
    readonly address: string;
    readonly port: string;
    readonly path: string;
  };
  readonly headers: Readonly<Record<string, string>>;
  /** ms for the whole exchange. */
  readonly timeout: number;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
}

/** A complete answer of any status. */
export interface FakeResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  readonly body: Uint8Array;
}

/** What differs from a page of text with status 200; text alone is the body. */
export type FakeAnswer =
  | string
  | (Partial<Omit<FakeResponse, "body">> & { readonly body?: string | Uint8Array | undefined });

/** A transport that answers from memory; it has the shape of source-prometheus's `Transport`. */
export interface FakeTransport {
  /** Every request so far, in order. */
  readonly requests: readonly FakeRequest[];
  readonly closed: boolean;
  /** Rejects with SCRAPE_ABORTED at the abort, and with whatever the answering function throws. */
  request(request: FakeRequest): Promise<FakeResponse>;
  close(): void;
}

/** Makes a transport for tests; return a promise that stays pending to have a server that hangs. */
export function createFakeTransport(
  answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>,
): FakeTransport {
  const requests: FakeRequest[] = [];
  let closed = false;
  return {
    requests,
    get closed() {
      return closed;
    },
    async request(request: FakeRequest): Promise<FakeResponse> {
      requests.push(request);
      return responseOf(await untilAbort(request.signal, async () => answer(request)));
    },
    close(): void {
      closed = true;
    },
  };
}

function untilAbort<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new MusterError("SCRAPE_ABORTED", "the signal aborted"));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    run()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

function responseOf(answer: FakeAnswer): FakeResponse {
  const { body = "", ...rest } = typeof answer === "string" ? { body: answer } : answer;
  return {
    status: 200,
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    location: undefined,
    ...rest,
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  };
}
