import { MusterError, messageOf } from "@muster/core";
import { readBounded } from "./bounded-read.ts";
import { maxConfigBytes, tooLarge } from "./config-document.ts";
import type { LoadedConfig } from "./loaded-config.ts";
import { type LoadConfigOptions, parseConfig } from "./parse-config.ts";

/**
 * Reads a configuration file, YAML or JSON, checks it and makes its plugins; see `parseConfig`.
 *
 * @throws MusterError CONFIG_READ, CONFIG_TOO_LARGE, CONFIG_PARSE, CONFIG_INVALID.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  return parseConfig(await readConfigFile(options.file), options);
}

async function readConfigFile(file: string): Promise<string> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBounded(file, { limit: maxConfigBytes });
  } catch (error) {
    throw new MusterError("CONFIG_READ", `${file} cannot be read: ${messageOf(error)}`, {
      path: file,
      cause: error,
    });
  }
  if (bytes === undefined) throw tooLarge(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new MusterError("CONFIG_PARSE", `${file} is not UTF-8 text`, {
      path: file,
      cause: error,
    });
  }
}
