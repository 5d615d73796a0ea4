import { type Clock, type Logger, silentLogger, systemClock } from "@muster/core";
import { type Bounds, type Checker, createChecker } from "../checker.ts";

/** A server that gets load. */
export interface LoadTarget {
  /** Base URL, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Its part of the load against the others'. Default: drawn with the seed, 0.5..1.5. */
  readonly weight?: number | undefined;
  /** Models and adapters to ask for. Default: what its `/v1/models` lists, asked again now and then. */
  readonly models?: readonly string[] | undefined;
}

/** A fixed number of tokens, or a range to draw from. */
export type TokenRange = number | { readonly min: number; readonly max: number };

/** How a load is made. */
export interface LoadOptions {
  readonly targets: readonly (string | LoadTarget)[];
  /** Decides everything random: when, whom, what. Default 1. */
  readonly seed?: number | undefined;
  /** Mean requests per second over all targets. Default 2 for each target. */
  readonly rate?: number | undefined;
  /** Requests under way at once; more are skipped and counted. Default 256. */
  readonly concurrency?: number | undefined;
  /** Default 64..1024. */
  readonly promptTokens?: TokenRange | undefined;
  /** Default 32..256. */
  readonly maxTokens?: TokenRange | undefined;
  /** Part of the requests that stream, 0..1. Default 0.5. */
  readonly streaming?: number | undefined;
  /**
   * The rate of each target swings around its mean, by `depth` (0..1, default 0.8) within `period`
   * ms (default 30,000), each target at its own time. `false`: a steady rate.
   */
  readonly wave?: false | { readonly period?: number; readonly depth?: number } | undefined;
  /** Ms after which a request is given up. Default 60,000. */
  readonly timeout?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** Checked options, with defaults. */
export interface LoadSettings {
  readonly targets: readonly LoadTarget[];
  readonly seed: number;
  readonly rate: number;
  readonly concurrency: number;
  readonly promptTokens: Bounds;
  readonly maxTokens: Bounds;
  readonly streaming: number;
  readonly period: number;
  readonly depth: number;
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxTargets = 10_000;

/**
 * Checks options and fills in the defaults.
 *
 * @throws MusterError CONFIG_INVALID with every problem.
 */
export function resolveLoadOptions(options: LoadOptions): LoadSettings {
  const check = createChecker("load");
  const targets = checkTargets(check, options.targets);
  const wave = options.wave === false ? { depth: 0 } : (options.wave ?? {});
  const settings = {
    targets,
    seed: check.integer("seed", options.seed, 1, { min: 0, max: Number.MAX_SAFE_INTEGER }),
    rate: check.number("rate", options.rate, 2 * targets.length, { min: 0.001, max: 100_000 }),
    concurrency: check.integer("concurrency", options.concurrency, 256, { min: 1, max: 100_000 }),
    promptTokens: checkRange(check, "promptTokens", options.promptTokens, { min: 64, max: 1024 }),
    maxTokens: checkRange(check, "maxTokens", options.maxTokens, { min: 32, max: 256 }),
    streaming: check.number("streaming", options.streaming, 0.5, { min: 0, max: 1 }),
    timeout: check.number("timeout", options.timeout, 60_000, { min: 1, max: 3_600_000 }),
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
  };
  check.keys(options, [...Object.keys(settings), "wave"]);
  check.keys(wave, ["period", "depth"]);
  const period = check.number("wave.period", wave.period, 30_000, { min: 100, max: 86_400_000 });
  const depth = check.number("wave.depth", wave.depth, 0.8, { min: 0, max: 1 });
  check.done();
  return Object.freeze({ ...settings, period, depth });
}

function checkRange(
  check: Checker,
  name: string,
  given: TokenRange | undefined,
  fallback: Bounds,
): Bounds {
  const range = typeof given === "number" ? { min: given, max: given } : (given ?? fallback);
  const limits = { min: 1, max: 1_000_000 };
  const min = check.integer(`${name}.min`, range.min, fallback.min, limits);
  const max = check.integer(`${name}.max`, range.max, fallback.max, limits);
  if (min > max) check.problem(name, `has a min of ${min} above its max of ${max}`);
  return { min, max };
}

function checkTargets(check: Checker, given: unknown): readonly LoadTarget[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > maxTargets) {
    check.problem("targets", `must be a list of 1 to ${maxTargets} servers`);
    return [];
  }
  return given.map((item: string | LoadTarget, index) => {
    const target = typeof item === "string" ? { url: item } : item;
    const path = `targets[${index}]`;
    if (!isHttpUrl(target?.url))
      check.problem(`${path}.url`, 'must be an http URL such as "http://127.0.0.1:8000"');
    check.number(`${path}.weight`, target?.weight, 1, { min: 0, max: 1e6 });
    if (target?.models !== undefined && target.models.length === 0)
      check.problem(
        `${path}.models`,
        "must not be empty; leave it out to use what the server lists",
      );
    return target;
  });
}

function isHttpUrl(url: unknown): boolean {
  return typeof url === "string" && URL.canParse(url) && new URL(url).protocol === "http:";
}
