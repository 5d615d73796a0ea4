import { MusterError, messageOf } from "@muster/core";
import { quote } from "./quote.ts";

/**
 * What is wrong with a kubeconfig or what its exec plugin gave. The readers of YAML and JSON quote what they
 * could not read, which may be a token: of their errors only the kind and the place are told.
 */
export function configError(what: string, error: unknown, path: string | undefined): MusterError {
  const unreadable = unreadableText(error);
  return new MusterError("KUBE_CONFIG", `${what}: ${unreadable ?? quote(messageOf(error))}`, {
    path,
    ...(unreadable === undefined && { cause: error }),
  });
}

function unreadableText(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return "it is no JSON";
  // the client library looks for a part that is not there
  if (error instanceof TypeError) return "it does not have the form that it must have";
  const { name, mark } = (error ?? {}) as { name?: unknown; mark?: { line?: unknown } };
  if (name !== "YAMLException") return undefined;
  return `it is no YAML${typeof mark?.line === "number" ? `, see line ${mark.line + 1}` : ""}`;
}
