/** A refusal, in the shape of OpenAI's API. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;

  constructor(status: number, message: string, param: string | null = null) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.type = types[status] ?? "InternalServerError";
    this.param = param;
  }

  toResponse(): Response {
    const { message, type, param, status: code } = this;
    return Response.json({ error: { message, type, param, code } }, { status: code });
  }
}

/** vLLM's names. */
const types: Readonly<Record<number, string>> = {
  400: "BadRequestError",
  404: "NotFoundError",
  405: "MethodNotAllowedError",
  413: "RequestEntityTooLargeError",
  503: "ServiceUnavailableError",
};

/**
 * The object in a request's JSON body.
 *
 * @throws ApiError 400
 */
export async function jsonBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const text = await request.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError(400, `the body is not valid JSON: ${reason.slice(0, 200)}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new ApiError(400, "the body must be a JSON object");
}
