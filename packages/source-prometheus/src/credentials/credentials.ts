import { Buffer } from "node:buffer";
import { type Clock, MusterError } from "@muster/core";
import { HostList } from "../targets/host-list.ts";
import { WatchedFile } from "./watched-file.ts";

/** What proves to a server who we are, and to which servers. */
export interface CredentialsOptions {
  readonly bearerToken?: string | undefined;
  readonly bearerTokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The only hosts that are sent any of it. */
  readonly hosts: readonly string[];
}

type Headers = Readonly<Record<string, string>>;

const none: Headers = Object.freeze({});

/** Adds credentials to the requests for the hosts they are for, and to no others. */
export class Credentials {
  readonly #options: CredentialsOptions;
  readonly #hosts: HostList;
  readonly #file: WatchedFile | undefined;
  #made: { readonly secret: string; readonly headers: Headers } | undefined;

  constructor(options: CredentialsOptions, clock: Clock) {
    this.#options = options;
    this.#hosts = new HostList(options.hosts);
    const path = options.bearerTokenFile ?? options.passwordFile;
    this.#file = path === undefined ? undefined : new WatchedFile(path, clock);
  }

  /** Whether `host`, as the endpoint names it, is one of those they are for. */
  covers(host: string): boolean {
    return this.#hosts.has(host);
  }

  /**
   * The headers for a host: at once where possible, so that a poll costs no turn of the event loop.
   *
   * @throws MusterError SCRAPE_CREDENTIALS when a file cannot be read or holds no usable secret.
   */
  headersFor(host: string): Headers | Promise<Headers> {
    if (!this.covers(host)) return none;
    const secret = this.#file?.read() ?? "";
    return typeof secret === "string"
      ? this.#headers(secret)
      : secret.then((text) => this.#headers(text));
  }

  /** Reads the secret's file again before the next request: a server refused what it said. */
  doubt(): void {
    this.#file?.doubt();
  }

  #headers(fileText: string): Headers {
    if (this.#made?.secret === fileText) return this.#made.headers;
    const authorization = this.#authorization(fileText.trim());
    const headers = {
      ...this.#options.headers,
      ...(authorization !== undefined && { authorization }),
    };
    this.#made = { secret: fileText, headers };
    return headers;
  }

  #authorization(fileText: string): string | undefined {
    const { bearerToken, bearerTokenFile, username, password, passwordFile } = this.#options;
    if (bearerToken !== undefined || bearerTokenFile !== undefined)
      return `Bearer ${usable(bearerToken ?? fileText, bearerTokenFile)}`;
    if (username === undefined) return undefined;
    const pair = `${username}:${passwordFile === undefined ? (password ?? "") : fileText}`;
    return `Basic ${Buffer.from(pair).toString("base64")}`;
  }
}

/** A token that is empty, or would break the header, is not sent. */
function usable(token: string, path: string | undefined): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new MusterError(
    "SCRAPE_CREDENTIALS",
    `${path === undefined ? "bearerToken" : `"${path}"`} holds no usable token: it is empty or has characters other than printable ASCII`,
    { path },
  );
}
