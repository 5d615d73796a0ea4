import type { CallOptions, Gateway } from "./gateway.ts";
import { statusCode, statusError } from "./status.ts";
import { type LeaseResponse, toNumber } from "./wire.ts";

/** What can be asked about one lease. */
export class LeaseCalls {
  readonly #gateway: Gateway;
  readonly #id: string;

  constructor(gateway: Gateway, id: bigint) {
    this.#gateway = gateway;
    this.#id = String(id);
  }

  /** @returns ms that it lives; undefined when it is there already, by a grant whose answer was lost */
  async grant(ttl: number, options: CallOptions): Promise<number | undefined> {
    const request = { ID: this.#id, TTL: String(Math.ceil(ttl / 1000)) };
    const { body, refusal } = await this.#gateway.call<LeaseResponse>(
      "/v3/lease/grant",
      request,
      options,
    );
    if (refusal?.code === statusCode.failedPrecondition) return undefined;
    if (body === undefined) throw statusError("/v3/lease/grant", refusal);
    return toNumber(body.TTL) * 1000;
  }

  /** @returns ms that it lives from now on; 0 when it is gone */
  async renew(options: CallOptions): Promise<number> {
    // a stream in gRPC, so its one answer is a line of a stream
    const { result } = await this.#gateway.ask<{ result?: LeaseResponse }>(
      "/v3/lease/keepalive",
      { ID: this.#id },
      options,
    );
    return Math.max(0, toNumber(result?.TTL) * 1000);
  }

  /** The keys that hang on it, as on the wire. */
  async keys(options: CallOptions): Promise<ReadonlySet<string>> {
    const request = { ID: this.#id, keys: true };
    const { keys = [] } = await this.#gateway.ask<LeaseResponse>(
      "/v3/lease/timetolive",
      request,
      options,
    );
    return new Set(keys);
  }

  /** Ends it, and deletes its keys at once. */
  async revoke(options: CallOptions): Promise<void> {
    await this.#gateway.call("/v3/lease/revoke", { ID: this.#id }, options);
  }
}
