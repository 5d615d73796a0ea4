import { unwatchFile, watchFile } from "node:fs";
import { isMusterError, type Logger, messageOf } from "@muster/core";
import { problemLine } from "../cli/report-error.ts";
import { onHangup } from "../cli/signals.ts";
import { type CheckConfigOptions, checkConfig } from "./check-config.ts";

/** Options of {@link recheckConfig}. */
export interface RecheckOptions extends CheckConfigOptions {
  readonly logger: Logger;
  /** ms between looks at the file; default 2,000. */
  readonly interval?: number | undefined;
}

/**
 * Checks the configuration again, as `muster check` does, on SIGHUP and when the file changes, and
 * logs whether it is valid; a new one takes effect at the next start. The returned function stops that.
 */
export function recheckConfig(options: RecheckOptions): () => void {
  const { file, interval = 2000 } = options;
  let busy = Promise.resolve();
  const check = (why: string): void => {
    busy = busy.then(() => report(options, why));
  };
  const changed = (): void => check("file changed");
  // polled, not watched: stat follows the symlink swap of a ConfigMap
  watchFile(file, { interval, persistent: false }, changed);
  const stopHangup = onHangup(() => check("SIGHUP"));
  return () => {
    unwatchFile(file, changed);
    stopHangup();
  };
}

async function report(options: RecheckOptions, why: string): Promise<void> {
  const { file, logger } = options;
  try {
    const { warnings } = (await checkConfig(options)).loaded;
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
