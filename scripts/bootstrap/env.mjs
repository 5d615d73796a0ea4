/** What npm's own settings a child process still needs: where packages come from, and how to get there. */
const kept = new Set([
  "registry",
  "userconfig",
  "cache",
  "proxy",
  "https_proxy",
  "noproxy",
  "ca",
  "cafile",
  "strict_ssl",
]);

/**
 * The environment for child processes: `npm run` exports its whole configuration as `npm_config_*`,
 * which redirects a nested npm (`local_prefix`) and makes npm and pnpm warn about each other.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function childEnv(env) {
  const entries = Object.entries(env).filter(([name]) => {
    const key = /^npm_config_(.*)$/i.exec(name)?.[1];
    return key === undefined || kept.has(key.toLowerCase());
  });
  return {
    ...Object.fromEntries(entries),
    TURBO_TELEMETRY_DISABLED: "1",
    DO_NOT_TRACK: "1",
  };
}
