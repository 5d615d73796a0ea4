import type { FleetChange, FleetEndpoints } from "@muster/runtime";
import type { Context } from "hono";
import { stream as streamText } from "hono/streaming";
import type { EndpointTexts } from "./endpoint-text.ts";
import { EventWriter } from "./event-writer.ts";
import type { Turns } from "./turns.ts";

/** Options of {@link watch}. */
export interface WatchOptions {
  readonly endpoints: FleetEndpoints;
  readonly texts: EndpointTexts;
  readonly turns: Turns;
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
  context.header("content-type", "text/event-stream");
  context.header("cache-control", "no-store");
  context.header("x-accel-buffering", "no");
  return streamText(context, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const signal = AbortSignal.any([gone.signal, options.signal]);
    const writer = new EventWriter((text) => stream.write(text));
    const beat = setInterval(() => {
      // a comment is of no use to a reader that has not taken what came before
      if (writer.idle) void writer.push(": alive\n\n");
    }, options.heartbeat);
    try {
      const changes = options.endpoints.changes({ signal, ...(since && { since }) });
      for await (const change of changes) await writer.push(await textOf(change, options, signal));
      await writer.end();
    } finally {
      clearInterval(beat);
      options.done();
    }
  });
}

/** Snapshots wait for their turn, since each may be megabytes. */
function textOf(
  change: FleetChange,
  { texts, turns }: WatchOptions,
  signal: AbortSignal,
): string | Promise<string> {
  if (change.type !== "snapshot") return toEvent(change, texts);
  return turns.take(() => (signal.aborted ? "" : toEvent(change, texts)));
}

function toEvent(change: FleetChange, texts: EndpointTexts): string {
  return `event: ${change.type}\nid: ${change.revision}\ndata: ${dataOf(change, texts)}\n\n`;
}

/** One line, as JSON text is. */
function dataOf(change: FleetChange, texts: EndpointTexts): string {
  const revision = JSON.stringify(change.revision);
  if (change.type === "delete") return `{"revision":${revision},"id":${JSON.stringify(change.id)}}`;
  if (change.type === "upsert")
    return `{"revision":${revision},"endpoint":${texts.textOf(change.endpoint)}}`;
  return `{"revision":${revision},"reason":"${change.reason}","endpoints":${texts.listOf(change.endpoints)}}`;
}
