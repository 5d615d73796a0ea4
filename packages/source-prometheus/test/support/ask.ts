import { onTestFinished } from "vitest";
import {
  createNodeTransport,
  type NodeTransportOptions,
  type ScrapeTarget,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../src/index.ts";

/** What a test says of a request; the rest has a default. */
export type Ask = Partial<Omit<TransportRequest, "target"> & ScrapeTarget>;

/** A transport that closes with the test. */
export function openTransport(options: NodeTransportOptions = {}): Transport {
  const transport = createNodeTransport(options);
  onTestFinished(() => transport.close());
  return transport;
}

/** Asks a server on 127.0.0.1. */
export function ask(
  transport: Transport,
  given: Ask & { port: string },
): Promise<TransportResponse> {
  const { scheme = "http", address = "127.0.0.1", port, path = "/metrics", ...rest } = given;
  return transport.request({
    target: { scheme, address, port, path },
    headers: {},
    timeout: 5000,
    maxBodyBytes: 1024 * 1024,
    signal: new AbortController().signal,
    ...rest,
  });
}

/** The body as text. */
export function textOf(response: TransportResponse): string {
  return new TextDecoder().decode(response.body);
}
