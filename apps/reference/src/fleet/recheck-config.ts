import { unwatchFile, watchFile } from "node:fs";
import { isMusterError, type Logger, messageOf } from "@muster/core";
import { loadConfig } from "@muster/runtime";
import { problemLine } from "../cli/report-error.ts";
import { onHangup } from "../cli/signals.ts";
import { createAppRegistry } from "./definitions.ts";

/** ms between looks at the file; stat follows the symlink swap of a ConfigMap. */
const pollInterval = 2000;

/** Options of {@link recheckConfig}. */
export interface RecheckOptions {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/**
 * Checks the configuration again on SIGHUP and when the file changes, and logs whether it is valid;
 * a new one takes effect at the next start. The returned function stops that.
 */
export function recheckConfig(options: RecheckOptions): () => void {
  const { file } = options;
  let busy = Promise.resolve();
  const check = (why: string): void => {
    busy = busy.then(() => report(options, why));
  };
  const changed = (): void => check("file changed");
  watchFile(file, { interval: pollInterval, persistent: false }, changed);
  const stopHangup = onHangup(() => check("SIGHUP"));
  return () => {
    unwatchFile(file, changed);
    stopHangup();
  };
}

async function report({ file, env, logger }: RecheckOptions, why: string): Promise<void> {
  try {
    const { warnings } = await loadConfig({ file, registry: createAppRegistry(), env });
    logger.info({ file, why, warnings }, "configuration is valid; restart to apply it");
  } catch (error) {
    const problems = isMusterError(error) ? error.problems.map(problemLine) : [];
    const shown = problems.length > 0 ? problems : [messageOf(error)];
    logger.error(
      { file, why, problems: shown },
      "configuration is not valid; the running one stays",
    );
  }
}
