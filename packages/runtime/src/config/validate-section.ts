import type { StandardSchema } from "@muster/core";
import { describeIssues } from "./describe-issues.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { Report } from "./report.ts";

/** How {@link validateSection} checks. */
export interface ValidateOptions<Output> {
  readonly schema: StandardSchema<unknown, Output>;
  readonly report: Report;
  readonly unknownKeys: "warn" | "refuse";
}

/** Checks a configuration as a whole, reporting every problem; `undefined` when there are any. */
export function validateSection<Output>(
  value: unknown,
  { schema, report, unknownKeys }: ValidateOptions<Output>,
): Output | undefined {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) {
    // ours are synchronous: this one stumbled over a value, such as an object with a `length` of its own
    result.catch(() => undefined);
    report.problem(
      [],
      "holds a value that cannot be checked: look for a key `length` out of place",
    );
    return undefined;
  }
  if (result.issues === undefined) return result.value;
  for (const { path, message, unknownKey } of describeIssues(result.issues, jsonSchemaOf(schema)))
    if (!unknownKey) report.problem(path, message);
    else if (unknownKeys === "warn") report.warning(path, `${message} is ignored`, "key");
    else report.problem(path, message, { at: "key" });
  return undefined;
}
