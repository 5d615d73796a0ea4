import { type Clock, isAddress, type Logger, silentLogger, systemClock } from "@muster/core";
import { type Checker, createChecker, isPlainText } from "../checker.ts";
import { type EngineName, engineVersions } from "../engines/profiles.ts";

/** How a simulated model server is made. Every key is optional. */
export interface ModelServerOptions {
  /** Which engine it behaves like. Default `vllm`. */
  readonly engine?: EngineName | undefined;
  /**
   * Version of the engine's page. Defaults: vllm `main-2026` (or `0.11.0`), sglang `0.5.12` (or
   * `0.5.9`), trtllm-serve `main-2026` (or `1.0`, which says nothing of the load).
   */
  readonly engineVersion?: string | undefined;
  /** Served model. Default `meta-llama/Llama-3.1-8B-Instruct`. */
  readonly model?: string | undefined;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Port to listen on; 0, the default, takes a free one, which a restart then keeps. */
  readonly port?: number | undefined;
  /** Decides everything random. Default 1. */
  readonly seed?: number | undefined;
  /** Data-parallel ranks, 1..64. Default 1. */
  readonly ranks?: number | undefined;
  /** Adapters loaded from the start. Default none. */
  readonly loras?: readonly string[] | undefined;
  /** Adapters that can run at once on a rank. Default 4. */
  readonly maxLoras?: number | undefined;
  /** Adapters that can be loaded. Default 64. */
  readonly maxLoadedLoras?: number | undefined;
  /** Requests that run at once on a rank. Default 16. */
  readonly maxRunning?: number | undefined;
  /** Requests that wait on a rank before more are refused with 503. Default 1,000. */
  readonly maxWaiting?: number | undefined;
  /** Tokens of a KV-cache block. Default 16. */
  readonly blockSize?: number | undefined;
  /** KV-cache blocks of a rank. Default 2,048. */
  readonly numBlocks?: number | undefined;
  /** Tokens of prompt and output together. Default 8,192, or what the cache holds if less. */
  readonly maxModelLen?: number | undefined;
  /** Prompt tokens a rank computes per second. Default 8,000. */
  readonly prefillTokensPerSecond?: number | undefined;
  /** Tokens generated per second for one request. Default 40. */
  readonly decodeTokensPerSecond?: number | undefined;
  /** Tokens generated per second for all requests of a rank together. Default 2,000. */
  readonly batchTokensPerSecond?: number | undefined;
  /** Mean length of an output that ends by itself, in tokens. Default 120. */
  readonly meanOutputTokens?: number | undefined;
  /** Mean part of a prompt found in the prefix cache, 0..1. Default 0.25. */
  readonly prefixCacheHitRate?: number | undefined;
  /** Ms between two scheduler steps. Default 20. */
  readonly stepInterval?: number | undefined;
  /** Largest request body, in bytes; more is answered 413. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Answers scrapers that ask for it with gzip, as the Python servers do. Default false. */
  readonly gzip?: boolean | undefined;
  /** Serves the routes under `/sim/`. Default: only on a loopback address. */
  readonly admin?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** Checked options, with defaults. */
export type ModelServerSettings = {
  readonly [Key in keyof ModelServerOptions]-?: NonNullable<ModelServerOptions[Key]>;
};

const mebibyte = 1024 * 1024;

/**
 * Checks options and fills in the defaults.
 *
 * @throws MusterError CONFIG_INVALID with every problem.
 */
export function resolveModelServerOptions(options: ModelServerOptions): ModelServerSettings {
  const check = createChecker("model server");
  const count = (name: keyof ModelServerOptions, fallback: number, max: number, min = 1): number =>
    check.integer(name, options[name], fallback, { min, max });
  const rate = (name: keyof ModelServerOptions, fallback: number): number =>
    check.number(name, options[name], fallback, { min: 0.001, max: 1e9 });
  const engine = check.oneOf("engine", options.engine, engineNames);
  const host = check.text("host", options.host, "127.0.0.1");
  if (!isAddress(host)) check.problem("host", `must be an address or a host name, not "${host}"`);
  const blockSize = count("blockSize", 16, 65_536);
  const numBlocks = count("numBlocks", 2048, 10_000_000);
  const settings: ModelServerSettings = {
    engine,
    engineVersion: check.oneOf(
      "engineVersion",
      options.engineVersion,
      engineVersions[engine] as readonly string[],
    ),
    model: check.text("model", options.model, "meta-llama/Llama-3.1-8B-Instruct"),
    host,
    port: count("port", 0, 65_535, 0),
    seed: count("seed", 1, Number.MAX_SAFE_INTEGER, 0),
    ranks: count("ranks", 1, 64),
    loras: [],
    maxLoras: count("maxLoras", 4, 1024),
    maxLoadedLoras: count("maxLoadedLoras", 64, 4096),
    maxRunning: count("maxRunning", 16, 65_536),
    maxWaiting: count("maxWaiting", 1000, 1_000_000),
    blockSize,
    numBlocks,
    maxModelLen: count(
      "maxModelLen",
      Math.min(8192, blockSize * numBlocks),
      blockSize * numBlocks,
      2,
    ),
    prefillTokensPerSecond: rate("prefillTokensPerSecond", 8000),
    decodeTokensPerSecond: rate("decodeTokensPerSecond", 40),
    batchTokensPerSecond: rate("batchTokensPerSecond", 2000),
    meanOutputTokens: check.number("meanOutputTokens", options.meanOutputTokens, 120, {
      min: 1,
      max: 1e6,
    }),
    prefixCacheHitRate: check.number("prefixCacheHitRate", options.prefixCacheHitRate, 0.25, {
      min: 0,
      max: 1,
    }),
    stepInterval: check.number("stepInterval", options.stepInterval, 20, { min: 1, max: 60_000 }),
    maxBodyBytes: count("maxBodyBytes", 4 * mebibyte, 256 * mebibyte),
    gzip: check.boolean("gzip", options.gzip, false),
    admin: check.boolean("admin", options.admin, isLoopback(host)),
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
  };
  const loras = checkLoras(check, options.loras, settings);
  check.keys(options, Object.keys(settings));
  check.done();
  return Object.freeze({ ...settings, loras });
}

const engineNames = Object.keys(engineVersions) as EngineName[];

/** Whether only this machine can reach the address. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function checkLoras(
  check: Checker,
  given: unknown,
  { model, maxLoadedLoras }: ModelServerSettings,
): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) {
    check.problem("loras", "must be a list of names");
    return [];
  }
  const names: string[] = [];
  for (const [index, name] of given.entries()) {
    const path = `loras[${index}]`;
    if (!isLoraName(name))
      check.problem(path, "must be a text of 1 to 256 characters without commas");
    else if (name === model) check.problem(path, "has the name of the model");
    else if (names.includes(name)) check.problem(path, `repeats "${name}"`);
    else names.push(name);
  }
  if (names.length > maxLoadedLoras)
    check.problem("loras", `has ${names.length} names, maxLoadedLoras is ${maxLoadedLoras}`);
  return Object.freeze(names);
}

/** Whether an adapter can have the name: the page joins names by commas. */
export function isLoraName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    isPlainText(name, 256) &&
    !name.includes(",") &&
    name.trim() === name
  );
}
