import { MusterError } from "@muster/core";
import { type LoadedConfig, loadConfig, locateProblems, resolveWiring } from "@muster/runtime";
import { createAppRegistry } from "./definitions.ts";
import type { WiringView } from "./describe-wiring.ts";
import { resolveServer, type ServerSources } from "./server-settings.ts";

/** What {@link checkConfig} checks. */
export interface CheckConfigOptions extends Pick<ServerSources, "flags" | "env"> {
  readonly file: string;
}

/**
 * Checks all of a configuration that can be checked without starting anything.
 *
 * @throws MusterError CONFIG_INVALID with every problem at its place, or as `loadConfig` and
 *   `resolveServer` do.
 */
export async function checkConfig({ file, env, flags }: CheckConfigOptions): Promise<WiringView> {
  const loaded = await loadConfig({ file, registry: createAppRegistry(), env });
  const { wiring, problems } = resolveWiring(loaded.runtime);
  if (problems.length > 0) throw invalid(file, problems, loaded);
  return { loaded, wiring, server: resolveServer({ flags, config: loaded.server, env }) };
}

function invalid(file: string, found: readonly MusterError[], loaded: LoadedConfig): MusterError {
  const problems = locateProblems(found, loaded);
  return new MusterError("CONFIG_INVALID", `${file} cannot be wired`, { problems });
}
