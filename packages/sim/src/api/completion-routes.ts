import type { FinishReason } from "../engine/sequence.ts";
import { ApiError, jsonBody } from "./api-error.ts";
import { chunkJson, completionJson, usageChunkJson } from "./completion-json.ts";
import { type CompletionRequest, parseCompletionRequest } from "./completion-request.ts";
import { type Generation, type ServingParts, startGeneration } from "./generation.ts";

/** Answers `/v1/chat/completions` or `/v1/completions`, at once or as a stream of events. */
export async function answerCompletion(
  parts: ServingParts,
  kind: "chat" | "text",
  request: Request,
): Promise<Response> {
  const wanted = parseCompletionRequest(kind, await jsonBody(request));
  const call = { parts, wanted, rank: rankOf(request, parts), signal: request.signal };
  return wanted.stream ? streamed(call) : await whole(call);
}

interface Call {
  readonly parts: ServingParts;
  readonly wanted: CompletionRequest;
  readonly rank: number | undefined;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** vLLM's header for choosing a data-parallel rank. */
function rankOf(request: Request, { settings }: ServingParts): number | undefined {
  const value = request.headers.get("x-data-parallel-rank");
  if (value === null) return undefined;
  const rank = /^\d{1,3}$/.test(value) ? Number(value) : -1;
  if (rank >= 0 && rank < settings.ranks) return rank;
  throw new ApiError(400, `there is no rank ${value.slice(0, 20)}; there are ${settings.ranks}`);
}

function whole({ parts, wanted, rank, signal }: Call): Promise<Response> {
  return new Promise((resolve, reject) => {
    let text = "";
    let tokens = 0;
    const finish = (reason: FinishReason): void => {
      signal.removeEventListener("abort", abort);
      if (reason === "error" || reason === "abort")
        reject(new ApiError(503, "the request was ended"));
      else resolve(Response.json(completionJson(generation, { text, tokens, reason })));
    };
    const abort = (): void => generation.submitted.abort();
    const generation: Generation = startGeneration(parts, wanted, {
      rank,
      onText: (more, count) => {
        text += more;
        tokens += count;
      },
      onFinish: finish,
    });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

function streamed({ parts, wanted, rank, signal }: Call): Response {
  const encoder = new TextEncoder();
  let generation: Generation;
  let tokens = 0;
  let cancelled = false;
  const abort = (): void => generation.submitted.abort();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (data: string): void => controller.enqueue(encoder.encode(`data: ${data}\n\n`));
      const sendJson = (value: object): void => send(JSON.stringify(value));
      generation = startGeneration(parts, wanted, {
        rank,
        onText: (text, count) => {
          sendJson(chunkJson(generation, { text, first: tokens === 0, reason: null }));
          tokens += count;
        },
        onFinish: (reason) => {
          signal.removeEventListener("abort", abort);
          if (cancelled) return;
          if (reason === "abort") return controller.close();
          if (reason === "error") return controller.error(new Error("the server restarted"));
          sendJson(chunkJson(generation, { text: "", reason }));
          if (wanted.includeUsage) sendJson(usageChunkJson(generation, tokens));
          send("[DONE]");
          controller.close();
        },
      });
    },
    cancel() {
      cancelled = true;
      abort();
    },
  });
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}
