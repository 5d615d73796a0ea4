import { type Clock, isMusterError, type MusterError } from "@muster/core";
import type { Gateway } from "./gateway.ts";

/** How long a refusal of the password stands before it is tried again, ms: etcd's check of it is costly. */
const refusedFor = 1000;

/** What {@link Credentials} needs. */
export interface CredentialsOptions {
  readonly username: string;
  readonly password: string;
  /** One that sends no token. */
  readonly gateway: Gateway;
  /** ms for a call that needs the token. */
  readonly timeout: number;
  readonly clock: Clock;
}

/** The token that goes with each call: asked for once, however many calls wait for it. */
export class Credentials {
  readonly #options: CredentialsOptions;
  #token: Promise<string | undefined> | undefined;
  #refused: { readonly error: MusterError; readonly until: number } | undefined;

  constructor(options: CredentialsOptions) {
    this.#options = options;
  }

  /**
   * Undefined where the server asks for none.
   *
   * @throws MusterError STORE_AUTH, and why no server answers
   */
  token(): Promise<string | undefined> {
    if (this.#refused !== undefined && this.#options.clock.monotonic() < this.#refused.until)
      return Promise.reject(this.#refused.error);
    this.#token ??= this.#ask();
    return this.#token;
  }

  /** Drops a token that is no longer taken, unless there is a newer one. */
  async drop(stale: string | undefined): Promise<void> {
    const asked = this.#token;
    const current = await asked?.catch(() => stale);
    if (current === stale && this.#token === asked) this.#token = undefined;
  }

  async #ask(): Promise<string | undefined> {
    const { username: name, password, gateway, timeout, clock } = this.#options;
    try {
      const { body } = await gateway.call<{ token?: string }>(
        "/v3/auth/authenticate",
        { name, password },
        // over before those who wait for it give up: they learn why
        { timeout: timeout * 0.8 },
      );
      // the refusal left is "authentication is not enabled": it may be later
      return body?.token;
    } catch (error) {
      this.#token = undefined;
      if (isMusterError(error) && error.code === "STORE_AUTH")
        this.#refused = { error, until: clock.monotonic() + refusedFor };
      throw error;
    }
  }
}
