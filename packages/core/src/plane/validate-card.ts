import { MusterError, messageOf } from "../errors.ts";
import { formatIssuePath, type StandardResult, type StandardSchema } from "../standard-schema.ts";
import type { ModelInstance } from "./model-instance.ts";

/** How many issues a message lists. */
const maxIssues = 10;

/** The card of a model as a schema reads it; PLANE_CARD otherwise. */
export function validateCard<T>(model: ModelInstance, schema: StandardSchema<unknown, T>): T {
  let result: StandardResult<T> | Promise<StandardResult<T>>;
  try {
    result = schema["~standard"].validate(model.cardJson.value);
  } catch (error) {
    throw badCard(model, `its schema threw: ${messageOf(error)}`, error);
  }
  if ("then" in result) {
    // nobody waits for it, so its failure must not count as unhandled
    Promise.resolve(result).catch(() => undefined);
    throw badCard(model, "its schema is asynchronous; use one that is not");
  }
  if (!result.issues) return result.value;
  const issues = result.issues.slice(0, maxIssues).map(({ path, message }) => {
    const at = formatIssuePath(path);
    return at === "" ? message : `${at}: ${message}`;
  });
  throw badCard(model, issues.join("; "));
}

/** A card that cannot be used, with the key of its record. */
export function badCard(model: ModelInstance, problem: string, cause?: unknown): MusterError {
  const message = `model card of ${model.id().toPath()}: ${problem}`;
  return new MusterError("PLANE_CARD", message, cause === undefined ? {} : { cause });
}
