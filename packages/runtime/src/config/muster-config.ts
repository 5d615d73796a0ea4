import { configSchema } from "./envelope.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { type ReadConfig, readOutline, record } from "./outline.ts";
import { resolveSecrets, type SecretsContext } from "./secrets.ts";
import { validateSection } from "./validate-section.ts";

/** Reads a MusterConfig: every unknown key is a problem. */
export async function readMusterConfig(
  value: unknown,
  context: SecretsContext,
): Promise<ReadConfig> {
  const { report } = context;
  const root = record(value);
  // secrets in parameters are resolved with the plugin's own schema
  const { plugins, ...rest } = root;
  const where = { schema: jsonSchemaOf(configSchema), path: [] };
  const resolved = record(await resolveSecrets(rest, where, context));
  const settings = validateSection(
    { ...resolved, ...(plugins !== undefined && { plugins }) },
    { schema: configSchema, report, unknownKeys: "refuse" },
  );
  if (root.discovery === undefined && record(root.dataLayer).discovery === undefined)
    report.problem(
      root.dataLayer === undefined ? [] : ["dataLayer"],
      "no discovery is configured, so no endpoints would be found: name a plugin in dataLayer.discovery.pluginRef",
      { at: "key" },
    );
  return { outline: readOutline(root), settings };
}
