import type { StandardIssue } from "@muster/core";
import { didYouMean } from "../registry/suggest.ts";
import { type JsonSchema, SchemaCursor } from "./json-schema.ts";
import type { ConfigPath } from "./report.ts";

/** One problem that a validator found, in words and with its place below what was validated. */
export interface DescribedIssue {
  readonly path: ConfigPath;
  readonly message: string;
  /** Set when it is only that nobody knows this key. */
  readonly unknownKey: boolean;
}

/** What zod adds to an issue; other validators have messages that stand for themselves. */
interface ZodIssue extends StandardIssue {
  readonly code?: unknown;
  readonly expected?: unknown;
  readonly keys?: unknown;
  readonly errors?: unknown;
}

/**
 * Splits and words the issues of a validator: one problem per unknown key, with a suggestion; of a
 * union the alternative that was most likely meant.
 */
export function describeIssues(
  issues: readonly StandardIssue[],
  schema: JsonSchema,
): DescribedIssue[] {
  return issues.flatMap((issue) => describe(issue, [], schema));
}

function describe(issue: ZodIssue, base: ConfigPath, schema: JsonSchema): DescribedIssue[] {
  const path = [...base, ...plainPath(issue.path)];
  if (issue.code === "unrecognized_keys" && Array.isArray(issue.keys)) {
    const known = SchemaCursor.of(schema).at(path).keys;
    return issue.keys.map(String).map((key) => ({
      path: [...path, key],
      message: `unknown key${didYouMean(key, known)}`,
      unknownKey: true,
    }));
  }
  if (issue.code === "invalid_union" && Array.isArray(issue.errors) && issue.errors.length > 0)
    return describeUnion(issue.errors as readonly (readonly ZodIssue[])[], path, schema);
  return [{ path, message: required(issue) ?? issue.message, unknownKey: false }];
}

/** zod tells a key that is not there from one of the wrong type by its message only. */
function required({ code, expected, message }: ZodIssue): string | undefined {
  if (code !== "invalid_type" || !message.endsWith("received undefined")) return undefined;
  return `is required: expected ${String(expected)}`;
}

function describeUnion(
  branches: readonly (readonly ZodIssue[])[],
  path: ConfigPath,
  schema: JsonSchema,
): DescribedIssue[] {
  const meant = branches.find((branch) => !branch.some(isWrongType));
  if (meant !== undefined) return meant.flatMap((issue) => describe(issue, path, schema));
  const expected = [...new Set(branches.flat().map(({ expected: type }) => String(type)))];
  const received = /received (\w+)/.exec(branches[0]?.[0]?.message ?? "")?.[1];
  const message = `Invalid input: expected ${expected.join(" or ")}, received ${received}`;
  return [{ path, message, unknownKey: false }];
}

function isWrongType(issue: ZodIssue): boolean {
  return issue.code === "invalid_type" && plainPath(issue.path).length === 0;
}

function plainPath(path: StandardIssue["path"] = []): (string | number)[] {
  return path.map((part) => {
    const key = typeof part === "object" ? part.key : part;
    return typeof key === "number" ? key : String(key);
  });
}
