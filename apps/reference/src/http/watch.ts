import type { FleetChange, FleetEndpoints } from "@muster/runtime";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { endpointJson } from "./endpoint-json.ts";

/** Options of {@link watch}. */
export interface WatchOptions {
  readonly endpoints: FleetEndpoints;
  /** Aborts when the server drains: every stream ends. */
  readonly signal: AbortSignal;
  /** ms between comments that keep proxies from closing an idle stream. */
  readonly heartbeat: number;
  /** Called once when the stream has ended. */
  readonly done: () => void;
}

/**
 * Streams changes as server-sent events: `snapshot`, then `upsert` and `delete`, ids being revisions.
 * A slow reader gets the latest state of each endpoint, or a new snapshot; never a gap.
 */
export function watch(context: Context, options: WatchOptions): Response {
  const since = context.req.header("last-event-id");
  context.header("cache-control", "no-store");
  context.header("x-accel-buffering", "no");
  return streamSSE(context, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const signal = AbortSignal.any([gone.signal, options.signal]);
    const beat = startHeartbeat(() => stream.write(": alive\n\n"), options.heartbeat);
    try {
      const changes = options.endpoints.changes({ signal, ...(since && { since }) });
      for await (const change of changes) await stream.writeSSE(toEvent(change));
    } finally {
      clearInterval(beat);
      options.done();
    }
  });
}

/** At most one comment waits for a reader that takes nothing. */
function startHeartbeat(write: () => Promise<unknown>, interval: number): NodeJS.Timeout {
  let waiting = false;
  return setInterval(() => {
    if (waiting) return;
    waiting = true;
    void write().finally(() => {
      waiting = false;
    });
  }, interval);
}

function toEvent(change: FleetChange): { event: string; id: string; data: string } {
  return { event: change.type, id: change.revision, data: JSON.stringify(dataOf(change)) };
}

function dataOf(change: FleetChange): unknown {
  const { revision } = change;
  if (change.type === "delete") return { revision, id: change.id };
  if (change.type === "upsert") return { revision, endpoint: endpointJson(change.endpoint) };
  return { revision, reason: change.reason, endpoints: change.endpoints.map(endpointJson) };
}
