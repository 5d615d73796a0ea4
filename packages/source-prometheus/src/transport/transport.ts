/** Where to ask. */
export interface ScrapeTarget {
  readonly scheme: "http" | "https";
  /** IPv4, IPv6 without brackets, or host name. */
  readonly address: string;
  /** `1`..`65535`. */
  readonly port: string;
  /** Path and query, as in the request line. */
  readonly path: string;
}

/** One GET. */
export interface TransportRequest {
  readonly target: ScrapeTarget;
  /** Beside `host`, which the transport sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** ms for everything: name look-up, connection, headers and body. */
  readonly timeout: number;
  /** Largest body, as it comes and inflated. */
  readonly maxBodyBytes: number;
  /** Aborts the exchange and closes its connection. */
  readonly signal: AbortSignal;
}

/** A complete answer, of any status. */
export interface TransportResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  /** Inflated; of an answer other than 200 perhaps only its beginning. */
  readonly body: Uint8Array;
}

/**
 * Fetches pages. Redirects are not followed: that is the source's to decide. Replaceable, so that a faster
 * client, or a test's, can take the place of the one on `node:http`.
 */
export interface Transport {
  /**
   * Asks once, or twice when the first try met a connection that the server had just closed.
   *
   * @throws MusterError one of the SCRAPE_ codes; SCRAPE_ABORTED when `signal` aborts.
   */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Closes all connections; exchanges under way fail. Idempotent. */
  close(): void;
}
