import {
  messageOf,
  type Plugin,
  type PluginDefinition,
  type StandardIssue,
  toMusterError,
} from "@muster/core";
import type { PluginHost } from "../registry/plugin-host.ts";
import { describeIssues } from "./describe-issues.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { type PluginEntry, record } from "./outline.ts";
import type { ConfigPath } from "./report.ts";
import { resolveSecrets, type SecretsContext } from "./secrets.ts";

/** What {@link makePlugin} works with. */
export interface MakePluginContext extends SecretsContext {
  readonly host: PluginHost;
  /**
   * For a MusterConfig: secrets are resolved, and a key that the plugin does not know is a problem
   * rather than a warning.
   */
  readonly strict: boolean;
}

/** Checks an entry's parameters and makes its plugin; `undefined` when that is not possible. */
export async function makePlugin(
  entry: PluginEntry,
  definition: PluginDefinition,
  context: MakePluginContext,
): Promise<Plugin | undefined> {
  const parameters = await checkParameters(entry, definition, context);
  if (parameters === undefined) return undefined;
  try {
    return context.host.create({ definition, name: entry.name, config: parameters });
  } catch (error) {
    const { code } = toMusterError(error, "PLUGIN_CREATE");
    context.report.problem(entry.path, messageOf(error), { code, cause: error });
    return undefined;
  }
}

async function checkParameters(
  entry: PluginEntry,
  definition: PluginDefinition,
  context: MakePluginContext,
): Promise<unknown> {
  const path = [...entry.path, "parameters"];
  const schema = jsonSchemaOf(definition.configSchema);
  let parameters: unknown = record(entry.parameters);
  if (context.strict) parameters = await resolveSecrets(parameters, { schema, path }, context);
  const issues = describeIssues(validate(definition, parameters), schema);
  const unknown = issues.filter(({ unknownKey }) => unknownKey && !context.strict);
  for (const issue of unknown) {
    context.report.warning([...path, ...issue.path], `${issue.message} is ignored`, "key");
    parameters = without(parameters, issue.path);
  }
  const wrong =
    unknown.length === 0 ? issues : describeIssues(validate(definition, parameters), schema);
  for (const { path: below, message, unknownKey } of wrong)
    context.report.problem([...path, ...below], message, { at: unknownKey ? "key" : "value" });
  return wrong.length === 0 ? parameters : undefined;
}

function validate(definition: PluginDefinition, parameters: unknown): readonly StandardIssue[] {
  try {
    const result = definition.configSchema["~standard"].validate(parameters);
    if (result instanceof Promise)
      return [{ message: "the plugin's configSchema is asynchronous" }];
    return result.issues ?? [];
  } catch (error) {
    return [{ message: `the plugin's configSchema failed: ${messageOf(error)}` }];
  }
}

/** A copy without the value at `path`. */
function without(value: unknown, [key, ...rest]: ConfigPath): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return value;
  const copy: Record<string | number, unknown> = Array.isArray(value)
    ? (Array.from(value) as unknown as Record<number, unknown>)
    : Object.assign(Object.create(null), value);
  if (rest.length === 0) delete copy[key];
  else copy[key] = without(copy[key], rest);
  return copy;
}
