import { type Clock, delay, type ErrorCode, isMusterError, MusterError } from "@muster/core";
import { abortedError, onAbort } from "@muster/core/plane";
import { backOff } from "../back-off.ts";
import { type Answer, readAnswer } from "./answer.ts";
import type { Connections } from "./connections.ts";
import type { Credentials } from "./credentials.ts";
import type { Endpoint, EndpointList } from "./endpoint.ts";
import { exchange } from "./exchange.ts";
import { type Failure, timeoutFailure } from "./gateway-error.ts";
import { isPassing, isStaleToken, type Status, statusCode, statusError } from "./status.ts";

/** What a {@link Gateway} is made of. */
export interface GatewayOptions {
  readonly endpoints: EndpointList;
  readonly connections: Connections;
  readonly clock: Clock;
  /** ms for a call, over all endpoints. */
  readonly timeout: number;
  /** Aborts when the store is closed. */
  readonly stopped: AbortSignal;
  readonly credentials?: Credentials | undefined;
}

/** Options of {@link Gateway.call}. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** ms; default the gateway's. */
  readonly timeout?: number | undefined;
  /** Ask each endpoint once at most. */
  readonly once?: boolean | undefined;
}

/** What etcd answered. */
export interface Reply<Body> {
  /** Undefined when it refused. */
  readonly body: Body | undefined;
  /** Not found, failed precondition or out of range, which mean something to the caller. */
  readonly refusal: Status | undefined;
  /** An earlier attempt of this call, whose answer was lost, may have been carried out. */
  readonly unsure: boolean;
}

/** Another attempt would end the same way. */
const hopeless: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "STORE_AUTH",
  "STORE_CONFIG",
  "STORE_TOO_LARGE",
]);

/** What an attempt gets at least, ms: the last one comes when the time is up. */
const shortestTry = 50;
/** Longest wait before the endpoints are asked again, ms. */
const longestWait = 1000;

/** Refusals that a caller deals with. */
const meaningful: ReadonlySet<number> = new Set([
  statusCode.notFound,
  statusCode.failedPrecondition,
  statusCode.outOfRange,
]);

/** Unary calls of etcd's JSON gateway: the next endpoint when one fails, until the time is up. */
export class Gateway {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /**
   * Calls until a server answers. The caller sees to it that doing it twice does no harm.
   *
   * @throws MusterError what STORE_… codes of the contract say, and PLANE_ABORTED
   */
  async call<Body>(path: string, body: object, options: CallOptions = {}): Promise<Reply<Body>> {
    const call = new Call(this.#options, { path, body: JSON.stringify(body), ...options });
    try {
      return (await call.run()) as Reply<Body>;
    } finally {
      call.end();
    }
  }

  /** The same, where every refusal is an error. */
  async ask<Body>(path: string, body: object, options: CallOptions = {}): Promise<Body> {
    const { body: answer, refusal } = await this.call<Body>(path, body, options);
    if (answer !== undefined) return answer;
    throw statusError(path, refusal);
  }
}

interface CallRequest extends CallOptions {
  readonly path: string;
  readonly body: string;
}

/** One call with all its attempts. */
class Call {
  readonly #gateway: GatewayOptions;
  readonly #request: CallRequest;
  readonly #deadline: number;
  readonly #cancelled = new AbortController();
  readonly #unlink: readonly (() => void)[];
  #unsure = false;
  #renewed = false;

  constructor(gateway: GatewayOptions, request: CallRequest) {
    this.#gateway = gateway;
    this.#request = request;
    this.#deadline = gateway.clock.monotonic() + (request.timeout ?? gateway.timeout);
    const cancel = (): void => this.#cancelled.abort();
    this.#unlink = [onAbort(request.signal, cancel), onAbort(gateway.stopped, cancel)];
  }

  end(): void {
    for (const unlink of this.#unlink) unlink();
  }

  async run(): Promise<Reply<unknown>> {
    const { endpoints } = this.#gateway;
    // both may have happened before the call: between two pages of a range, for one
    this.#throwIfCancelled();
    // the last attempt may have too little time left to learn more than that it had none
    let reason: MusterError | undefined;
    for (let attempt = 1; ; attempt++) {
      const endpoint = endpoints.current;
      const result = await this.#attempt(endpoint);
      this.#throwIfCancelled();
      if ("failure" in result) {
        const { error, unsure } = result.failure;
        this.#unsure ||= unsure;
        if (hopeless.has(error.code)) throw error;
        if (error.code !== "STORE_TIMEOUT") reason = error;
        else reason ??= error;
        endpoints.leave(endpoint);
        const round = attempt % endpoints.size === 0;
        if (this.#left <= 0 || (round && this.#request.once)) throw reason;
        if (!round) continue;
        const wait = Math.min(backOff(attempt / endpoints.size - 1), longestWait, this.#left);
        await delay(this.#gateway.clock, wait, this.#cancelled.signal);
        this.#throwIfCancelled();
      } else if (result.status === undefined) {
        return { body: result.body, refusal: undefined, unsure: this.#unsure };
      } else if (meaningful.has(result.status.code)) {
        return { body: undefined, refusal: result.status, unsure: this.#unsure };
      } else throw statusError(endpoint.url, result.status);
    }
  }

  get #left(): number {
    return this.#deadline - this.#gateway.clock.monotonic();
  }

  /** A refused token is renewed once, and the same server asked again. */
  async #attempt(endpoint: Endpoint): Promise<Answer | { readonly failure: Failure }> {
    const { credentials } = this.#gateway;
    const token = credentials && (await this.#within(credentials.token()));
    const result = await this.#exchange(endpoint, token);
    if ("failure" in result || result.status === undefined) return result;
    if (credentials !== undefined && !this.#renewed && isStaleToken(result.status)) {
      this.#renewed = true;
      await credentials.drop(token);
      return this.#attempt(endpoint);
    }
    if (!isPassing(result.status)) return result;
    return { failure: { error: statusError(endpoint.url, result.status), unsure: true } };
  }

  /** Waits for what others started too, no longer than this call may take. */
  #within<Value>(promise: Promise<Value>): Promise<Value> {
    const left = this.#left;
    return new Promise((resolve, reject) => {
      const cancel = this.#gateway.clock.schedule(
        () => reject(timeoutFailure(this.#request.path, left).error),
        left,
      );
      const unlink = onAbort(this.#cancelled.signal, () => reject(this.#cancellation()));
      const done = (): void => {
        cancel();
        unlink();
      };
      promise.then(resolve, reject).finally(done);
    });
  }

  async #exchange(
    endpoint: Endpoint,
    token: string | undefined,
  ): Promise<Answer | { readonly failure: Failure }> {
    const { connections, clock, timeout, endpoints } = this.#gateway;
    const { path, body } = this.#request;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: token };
    // so that one that is silent leaves time for the others
    const share = endpoints.size === 1 ? this.#left : timeout / Math.min(endpoints.size, 3);
    const outcome = await exchange({
      connections,
      clock,
      request: { endpoint, path, headers, body },
      timeout: Math.max(shortestTry, Math.min(this.#left, share)),
      signal: this.#cancelled.signal,
    });
    if (outcome.failure !== undefined) return outcome;
    try {
      return readAnswer(endpoint.url, path, outcome);
    } catch (error) {
      if (!isMusterError(error)) throw error;
      return { failure: { error, unsure: true } };
    }
  }

  #throwIfCancelled(): void {
    if (this.#cancelled.signal.aborted) throw this.#cancellation();
  }

  #cancellation(): MusterError {
    const { signal, path } = this.#request;
    if (signal?.aborted === true) return abortedError(path, signal);
    return new MusterError("STORE_CLOSED", `${path}: the etcd store is closed`);
  }
}
