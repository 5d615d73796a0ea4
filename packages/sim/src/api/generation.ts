import type { Engine, Submitted } from "../engine/engine.ts";
import type { FinishReason } from "../engine/sequence.ts";
import type { Random } from "../random.ts";
import type { LoraRegistry } from "../server/lora-registry.ts";
import type { ModelServerSettings } from "../server/options.ts";
import { ApiError } from "./api-error.ts";
import type { CompletionRequest } from "./completion-request.ts";

/** The parts of a server that answer completions. */
export interface ServingParts {
  readonly settings: ModelServerSettings;
  readonly engine: Engine;
  readonly loras: LoraRegistry;
  readonly random: Random;
}

/** A completion on its way. */
export interface Generation {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly request: CompletionRequest;
  readonly submitted: Submitted;
}

/** Hears of a completion's progress. */
export interface GenerationListener {
  /** More text, `tokens` tokens of it. */
  readonly onText: (text: string, tokens: number) => void;
  readonly onFinish: (reason: FinishReason) => void;
}

/**
 * Hands a request to the engine.
 *
 * @throws ApiError 404 for an unknown model, 400 when it is too long, 503 when the queue is full.
 */
export function startGeneration(
  parts: ServingParts,
  request: CompletionRequest,
  options: GenerationListener & { readonly rank: number | undefined },
): Generation {
  const { settings, engine, loras, random } = parts;
  const isBase = request.model === settings.model;
  if (!isBase && !loras.has(request.model))
    throw new ApiError(404, `the model "${request.model.slice(0, 200)}" does not exist`, "model");
  const output = planOutput(parts, request);
  const hitRate = Math.min(1, 2 * random.next() * settings.prefixCacheHitRate);
  const cachedBlocks = Math.floor((request.promptTokens * hitRate) / settings.blockSize);
  const cachedTokens = Math.min(cachedBlocks * settings.blockSize, request.promptTokens - 1);
  const id = `${request.kind === "chat" ? "chatcmpl" : "cmpl"}-${hexadecimal(random, 32)}`;
  const submitted = engine.submit(
    {
      promptTokens: request.promptTokens,
      cachedTokens,
      ...output,
      lora: isBase ? undefined : request.model,
      onTokens: (count) => options.onText(words(random, count), count),
      onFinish: options.onFinish,
    },
    options.rank,
  );
  if (submitted === undefined)
    throw new ApiError(503, `the queue is full: ${settings.maxWaiting} requests are waiting`);
  const created = Math.floor(settings.clock.now() / 1000);
  return { id, created, request, submitted };
}

/** How long the output gets, decided beforehand. */
function planOutput(
  { settings, random }: ServingParts,
  request: CompletionRequest,
): { outputTokens: number; maxTokens: number; ending: "stop" | "length" } {
  const room = settings.maxModelLen - request.promptTokens;
  // OpenAI's default for completions is 16; a chat may fill the context
  const maxTokens = request.maxTokens ?? (request.kind === "text" ? Math.min(16, room) : room);
  if (room < 1 || maxTokens > room)
    throw new ApiError(
      400,
      `the context has ${settings.maxModelLen} tokens; the request has ${request.promptTokens} in the prompt and asks for ${maxTokens}`,
      request.kind === "chat" ? "messages" : "prompt",
    );
  const natural = Math.max(
    1,
    request.minTokens,
    Math.round(random.exponential(settings.meanOutputTokens)),
  );
  if (request.ignoreEos || natural >= maxTokens)
    return { outputTokens: maxTokens, maxTokens, ending: "length" };
  return { outputTokens: natural, maxTokens, ending: "stop" };
}

const vocabulary =
  "the model answers with words that mean little but arrive one after another as tokens do"
    .split(" ")
    .map((word) => ` ${word}`);

/** One word for each token. */
function words(random: Random, count: number): string {
  let text = "";
  for (let left = count; left > 0; left--) text += random.pick(vocabulary);
  return text;
}

function hexadecimal(random: Random, digits: number): string {
  let text = "";
  while (text.length < digits) text += random.integer(0, 15).toString(16);
  return text;
}
