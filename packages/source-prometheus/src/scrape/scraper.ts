import { type Clock, type EndpointMetadata, MusterError } from "@muster/core";
import type { PrometheusSourceSettings } from "../config.ts";
import { Credentials } from "../credentials/credentials.ts";
import { quoteBytes } from "../parser/content-type.ts";
import { scrapeUrl } from "../transport/scrape-url.ts";
import type { ScrapeTarget, Transport, TransportResponse } from "../transport/transport.ts";
import type { EndpointScrape } from "./endpoint-scrape.ts";
import { isRedirect, redirectTarget, refused } from "./redirect.ts";

/**
 * The classic format: what engines render fastest and with the least surprises. OpenMetrics is understood
 * but not mentioned, since prometheus_client for Python prefers it wherever it is, whatever its weight.
 */
const accept = "text/plain;version=0.0.4,*/*;q=0.1";

/** Gets an endpoint's page: target, credentials, redirects and statuses; bytes are the transport's. */
export class Scraper {
  readonly #settings: PrometheusSourceSettings;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #credentials: Credentials | undefined;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(settings: PrometheusSourceSettings, transport: Transport, clock: Clock) {
    this.#settings = settings;
    this.#transport = transport;
    this.#clock = clock;
    this.#credentials = settings.auth && new Credentials(settings.auth, clock);
    this.#headers = {
      ...settings.headers,
      accept,
      "accept-encoding": settings.compression ? "gzip, deflate" : "identity",
    };
  }

  /** The answer with the page, status 200. */
  async scrape(
    metadata: EndpointMetadata,
    state: EndpointScrape,
    signal: AbortSignal,
  ): Promise<TransportResponse> {
    const deadline = this.#clock.monotonic() + this.#settings.timeout;
    const target = state.target(metadata, this.#settings);
    const { redirected } = state;
    let asked = redirected ?? target;
    let response = await this.#request(asked, { signal, deadline });
    if (isRedirect(response) && redirected === undefined) {
      const first = response;
      asked = redirectTarget(target, first);
      response = await this.#request(asked, { signal, deadline });
      if (isRedirect(response)) throw refused(target, first, "it redirects again");
      if (response.status === 200) state.redirected = asked;
    }
    if (response.status === 200) return response;
    // the next poll asks where the endpoint says once more
    state.redirected = undefined;
    throw this.#failure(asked, response);
  }

  async #request(
    target: ScrapeTarget,
    { signal, deadline }: { signal: AbortSignal; deadline: number },
  ): Promise<TransportResponse> {
    const secret = this.#credentials?.headersFor(target.address);
    const credentials = secret instanceof Promise ? await secret : secret;
    return this.#transport.request({
      target,
      headers: credentials === undefined ? this.#headers : { ...this.#headers, ...credentials },
      timeout: Math.max(1, Math.round(deadline - this.#clock.monotonic())),
      maxBodyBytes: this.#settings.maxBodyBytes,
      signal,
    });
  }

  #failure(target: ScrapeTarget, response: TransportResponse): MusterError {
    const { status } = response;
    const url = scrapeUrl(target);
    if (isRedirect(response))
      return refused(target, response, "the path it redirected to before does so too");
    const shown = `${url}: answered ${status} ${quoteBytes(response.body)}`;
    if (status !== 401 && status !== 403)
      return new MusterError("SCRAPE_STATUS", shown, { path: url });
    this.#credentials?.doubt();
    return new MusterError("SCRAPE_AUTH", `${shown}; ${this.#advice(target)}`, { path: url });
  }

  #advice({ address }: ScrapeTarget): string {
    if (this.#credentials === undefined) return "the source has no credentials (auth)";
    if (this.#credentials.covers(address)) return "the credentials sent were refused";
    return `no credentials were sent, since auth.hosts does not list ${address}`;
  }
}
