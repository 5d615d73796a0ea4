import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { messageOf } from "@muster/core";
import type { FaultBoard } from "../faults/fault-board.ts";
import { playFault } from "../faults/play-fault.ts";
import { type FetchHandler, handleWith } from "./http-adapter.ts";
import type { OpenExchanges } from "./open-exchanges.ts";
import type { ModelServerSettings } from "./options.ts";
import type { Simulation } from "./simulation.ts";

/** What the front of a server needs. */
export interface FrontParts {
  readonly settings: ModelServerSettings;
  readonly faults: FaultBoard;
  readonly exchanges: OpenExchanges;
  readonly simulation: () => Simulation;
  readonly handler: FetchHandler;
  /** The page as it was when `freeze` was switched on. */
  readonly frozenPage: () => string | undefined;
}

const pageType = "text/plain; version=0.0.4; charset=utf-8";

/** Routes of which vLLM keeps no statistics. */
const uncounted: ReadonlySet<string> = new Set(["/metrics", "/health", "/version"]);
const counted: ReadonlySet<string> = new Set([
  "/v1/models",
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/load_lora_adapter",
  "/v1/unload_lora_adapter",
]);

/**
 * What every request meets first: faults, then the metrics page, written without detours because it
 * is asked for thousands of times a second in benchmarks, then the other routes.
 */
export function createFront(
  parts: FrontParts,
): (message: IncomingMessage, response: ServerResponse) => void {
  const { settings, faults, exchanges } = parts;
  const proceed = (message: IncomingMessage, response: ServerResponse, path: string): void => {
    if (path === parts.simulation().profile.metricsPath) writePage(parts, message, response);
    else void serve(parts, message, response, path);
  };
  return (message, response) => {
    const path = pathOf(message);
    const admin = settings.admin && path.startsWith("/sim/");
    exchanges.add(response, admin);
    if (admin) {
      void serve(parts, message, response, path);
      return;
    }
    const { profile } = parts.simulation();
    const { latency, fault } = faults.decide(path === profile.metricsPath ? "metrics" : "other");
    const page = (variant: "live" | "nan" | "frozen"): string =>
      (variant === "frozen" ? parts.frozenPage() : undefined) ??
      parts.simulation().page({ nan: variant === "nan" });
    const act = (): void => {
      if (fault === undefined) {
        proceed(message, response, path);
        return;
      }
      message.resume();
      exchanges.hold(response, fault.kind);
      playFault(fault, { response, clock: settings.clock, contentType: pageType, page });
    };
    if (latency === 0) act();
    else response.on("close", settings.clock.schedule(act, latency));
  };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

function writePage(parts: FrontParts, message: IncomingMessage, response: ServerResponse): void {
  if (message.method !== "GET" && message.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD", "content-length": 0 }).end();
    return;
  }
  const text = parts.simulation().page();
  const zipped = parts.settings.gzip && /\bgzip\b/.test(String(message.headers["accept-encoding"]));
  const body = zipped ? gzipSync(text) : Buffer.from(text);
  response.writeHead(200, {
    "content-type": pageType,
    "content-length": body.length,
    ...(zipped ? { "content-encoding": "gzip" } : {}),
  });
  response.end(message.method === "HEAD" ? undefined : body);
}

async function serve(
  parts: FrontParts,
  message: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const { settings, handler } = parts;
  const { traffic } = parts.simulation();
  const startedAt = settings.clock.monotonic();
  try {
    const options = { handler, maxBodyBytes: settings.maxBodyBytes };
    const exchange = await handleWith(options, message, response);
    if (uncounted.has(path) || path.startsWith("/sim/")) return;
    traffic.record({
      ...exchange,
      handler: counted.has(path) ? path : "none",
      method: message.method ?? "GET",
      status: response.statusCode,
      seconds: (settings.clock.monotonic() - startedAt) / 1000,
    });
  } catch (error) {
    // the client left, or sent what no handler can be given
    settings.logger.debug({ error: messageOf(error), path }, "a request ended early");
    if (response.headersSent) response.destroy();
    else response.writeHead(400, { "content-length": 0 }).end();
  }
}
