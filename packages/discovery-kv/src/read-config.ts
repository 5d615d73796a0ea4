import { formatIssuePath, MusterError, type StandardSchema } from "@muster/core";

/**
 * Reads the configuration of a store, defaults filled in.
 *
 * @throws MusterError STORE_CONFIG, with every problem
 */
export function readConfig<Config, Settings>(
  store: string,
  schema: StandardSchema<Config, Settings>,
  config: Config,
): Settings {
  const result = schema["~standard"].validate(config);
  if (result instanceof Promise) throw new TypeError(`the schema of the ${store} must not wait`);
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ message, path }) => {
    const place = formatIssuePath(path);
    const text = place === "" ? message : `${place}: ${message}`;
    return new MusterError("STORE_CONFIG", text, { path: place });
  });
  const text = problems.map(({ message }) => message).join("; ");
  throw new MusterError("STORE_CONFIG", `${store}: ${text}`, { path: problems[0]?.path, problems });
}
