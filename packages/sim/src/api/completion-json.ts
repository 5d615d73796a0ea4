import type { FinishReason } from "../engine/sequence.ts";
import type { Generation } from "./generation.ts";

/** Token counts as OpenAI's API gives them. */
interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** The usage of a completion with so many tokens of output. */
function usageOf({ request }: Generation, completionTokens: number): Usage {
  return {
    prompt_tokens: request.promptTokens,
    completion_tokens: completionTokens,
    total_tokens: request.promptTokens + completionTokens,
  };
}

/** The whole answer of a request that does not stream. */
export function completionJson(
  generation: Generation,
  result: { readonly text: string; readonly tokens: number; readonly reason: FinishReason },
): object {
  const chat = generation.request.kind === "chat";
  const content = chat
    ? { message: { role: "assistant", content: result.text } }
    : { text: result.text };
  return {
    ...head(generation, chat ? "chat.completion" : "text_completion"),
    choices: [{ index: 0, ...content, logprobs: null, finish_reason: result.reason }],
    usage: usageOf(generation, result.tokens),
  };
}

/** One event of a stream. */
export function chunkJson(
  generation: Generation,
  part: { readonly text: string; readonly first?: boolean; readonly reason: FinishReason | null },
): object {
  const chat = generation.request.kind === "chat";
  const content = chat
    ? { delta: { ...(part.first ? { role: "assistant" } : {}), content: part.text } }
    : { text: part.text };
  return {
    ...head(generation, chat ? "chat.completion.chunk" : "text_completion"),
    choices: [{ index: 0, ...content, logprobs: null, finish_reason: part.reason }],
  };
}

/** The event with the usage, which has no choices. */
export function usageChunkJson(generation: Generation, tokens: number): object {
  const object = generation.request.kind === "chat" ? "chat.completion.chunk" : "text_completion";
  return { ...head(generation, object), choices: [], usage: usageOf(generation, tokens) };
}

function head({ id, created, request }: Generation, object: string): object {
  return { id, object, created, model: request.model };
}
