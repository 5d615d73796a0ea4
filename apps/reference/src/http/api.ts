import { type Logger, MusterError, messageOf } from "@muster/core";
import type { Fleet } from "@muster/runtime";
import { Hono } from "hono";
import type { Registry } from "prom-client";
import { endpointJson } from "./endpoint-json.ts";
import { EndpointTexts } from "./endpoint-text.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { addPage } from "./page.ts";
import { problem } from "./problem.ts";
import { parseFilter, refuseParameters } from "./query.ts";
import { Turns } from "./turns.ts";
import { watch } from "./watch.ts";

/** At most this many streams of changes at once. */
const maxWatchers = 256;

/** Options of {@link createApi}. */
export interface ApiOptions {
  readonly fleet: Fleet;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly guard: GuardOptions;
  /** Aborts when the server drains. */
  readonly signal: AbortSignal;
  /** ms between heartbeats of a stream; default 15,000. */
  readonly heartbeat?: number | undefined;
}

/** The HTTP API: JSON under `/api`, health, metrics and a page. */
export function createApi(options: ApiOptions): Hono {
  const api = new Hono();
  api.use(async (context, next) => {
    await next();
    context.header("x-content-type-options", "nosniff");
  });
  api.use(createGuard(options.guard));
  const texts = new EndpointTexts();
  addEndpoints(api, options, texts);
  addWatch(api, options, texts);
  addHealth(api, options);
  addPage(api);
  api.notFound((context) =>
    problem(context, new MusterError("NOT_FOUND", `There is nothing at ${context.req.path}.`)),
  );
  api.onError((error, context) => {
    const answer = problem(context, error);
    if (answer.status >= 500)
      options.logger.error({ path: context.req.path, error: messageOf(error) }, "request failed");
    return answer;
  });
  return api;
}

function addEndpoints(api: Hono, { fleet }: ApiOptions, texts: EndpointTexts): void {
  api.get("/api/endpoints", (context) => {
    const filter = parseFilter(context.req.queries());
    const revision = JSON.stringify(fleet.endpoints.revision);
    const endpoints = texts.listOf(fleet.endpoints.list(filter));
    return context.body(`{"revision":${revision},"endpoints":${endpoints}}`, 200, {
      "content-type": "application/json",
    });
  });
  api.get("/api/endpoints/:namespace/:name", (context) => {
    refuseParameters(context.req.queries());
    const { namespace, name } = context.req.param();
    const endpoint = fleet.endpoints.get({ namespace, name });
    if (endpoint !== undefined) return context.json(endpointJson(endpoint));
    throw new MusterError("NOT_FOUND", `There is no endpoint ${namespace}/${name}.`);
  });
}

function addWatch(
  api: Hono,
  { fleet, signal, heartbeat = 15_000 }: ApiOptions,
  texts: EndpointTexts,
): void {
  const turns = new Turns();
  let watchers = 0;
  api.get("/api/watch", (context) => {
    refuseParameters(context.req.queries());
    // the body of an answer to HEAD is neither read nor cancelled: its stream would never end
    if (context.req.method === "HEAD")
      return context.body(null, 200, { "content-type": "text/event-stream" });
    if (watchers >= maxWatchers)
      throw new MusterError(
        "RUNTIME_STATE",
        `There are ${maxWatchers} watchers already; try later.`,
      );
    watchers += 1;
    const done = (): void => {
      watchers -= 1;
    };
    return watch(context, {
      endpoints: fleet.endpoints,
      texts,
      turns,
      signal,
      heartbeat,
      done,
    });
  });
}

function addHealth(api: Hono, { fleet, registry, signal }: ApiOptions): void {
  api.get("/healthz", (context) => context.json({ status: "ok" }));
  api.get("/readyz", (context) => {
    const { ready, reasons, discoveries, watches } = fleet.status();
    const draining = signal.aborted ? ["shutting down"] : [];
    const all = [...draining, ...reasons];
    const body = { ready: ready && !signal.aborted, reasons: all, discoveries, watches };
    return context.json(body, body.ready ? 200 : 503);
  });
  api.get("/metrics", async (context) =>
    context.body(await registry.metrics(), 200, { "content-type": registry.contentType }),
  );
}
