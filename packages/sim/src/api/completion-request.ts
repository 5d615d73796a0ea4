import { ApiError } from "./api-error.ts";

/** A checked request for a completion. */
export interface CompletionRequest {
  readonly kind: "chat" | "text";
  /** Base model or adapter. */
  readonly model: string;
  readonly promptTokens: number;
  /** Unset: the engine's default. */
  readonly maxTokens: number | undefined;
  readonly minTokens: number;
  readonly ignoreEos: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Checks the body of `/v1/chat/completions` or `/v1/completions`. Sampling parameters are accepted
 * and have no effect; only one choice is made.
 *
 * @throws ApiError 400, naming the parameter.
 */
export function parseCompletionRequest(kind: "chat" | "text", body: Body): CompletionRequest {
  const { model, stream = false } = body;
  if (typeof model !== "string" || model === "")
    throw new ApiError(400, "model must be the name of a model", "model");
  if (typeof stream !== "boolean" && stream !== null)
    throw new ApiError(400, "stream must be true or false", "stream");
  if ((body.n ?? 1) !== 1) throw new ApiError(400, "n must be 1: one choice is simulated", "n");
  return {
    kind,
    model,
    promptTokens: kind === "chat" ? chatTokens(body.messages) : promptTokens(body.prompt),
    maxTokens: tokenCount(body, "max_completion_tokens", 1) ?? tokenCount(body, "max_tokens", 1),
    minTokens: tokenCount(body, "min_tokens", 0) ?? 0,
    ignoreEos: body.ignore_eos === true,
    stream: stream === true,
    includeUsage: includesUsage(body.stream_options),
  };
}

function tokenCount(body: Body, name: string, min: number): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= 2 ** 31)
    return value;
  throw new ApiError(400, `${name} must be a whole number of at least ${min}`, name);
}

function includesUsage(options: unknown): boolean {
  return (
    typeof options === "object" &&
    options !== null &&
    (options as { include_usage?: unknown }).include_usage === true
  );
}

/** About four characters a token, and four tokens of frame for each message. */
function chatTokens(messages: unknown): number {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new ApiError(400, "messages must be a list that is not empty", "messages");
  let tokens = 0;
  for (const [index, message] of messages.entries()) {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    if (typeof role !== "string")
      throw new ApiError(400, `messages[${index}].role must be a text`, `messages[${index}].role`);
    tokens += 4 + textTokens(contentText(content));
  }
  return tokens;
}

/** The text of a message: a string, or the text parts of a list. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((part: { text?: unknown } | null) => part?.text);
  return texts.filter((text): text is string => typeof text === "string").join("");
}

/** A text, token ids, or a list of one text. */
function promptTokens(prompt: unknown): number {
  if (typeof prompt === "string") return textTokens(prompt);
  if (Array.isArray(prompt) && prompt.length > 0) {
    const [only] = prompt;
    if (prompt.length === 1 && typeof only === "string") return textTokens(only);
    if (prompt.every(Number.isInteger)) return prompt.length;
  }
  throw new ApiError(400, "prompt must be one text or one list of token ids", "prompt");
}

function textTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
